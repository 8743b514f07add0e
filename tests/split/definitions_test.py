"""A definition comes before its uses, whatever its form, and goes after them: no commit uses what is not there."""

from collections.abc import Iterator

from smartcommit.split.ordering import order_groups
from tests.split.ordering_test import names, unit
from tests.support.table import rows

# A file that sorts first and uses NAME, the file that defines it, the name, and forms of its definition, one a line.
FORMS = {
    "python": ("a.py", "from z import NAME\n\nx = NAME\n", "z.py", "make_widget", r"""
def NAME():⏎    pass
NAME = 1
from elsewhere import NAME
"""),
    "python method": ("a.py", "def use(x):\n    return x.NAME(1)\n", "z.py", "make_widget", r"""
class Base:⏎    def NAME(self):⏎        pass
class Base:⏎    NAME = 1
class Base:⏎    def __init__(self):⏎        self.NAME = 1
class Base:⏎    async def NAME(self):⏎        pass
"""),
    "javascript": ("a.js", "import { NAME } from './z';\n\nNAME(1);\n", "z.js", "make_widget", r"""
export function NAME() {⏎}
export { NAME } from './y';
"""),
    "javascript bare": ("a.js", "NAME(1);\n", "z.js", "make_widget", r"""
function NAME() {⏎}
class NAME {⏎}
var NAME = function () {⏎};
window.NAME = function () {⏎};
const NAME = async (x) => {⏎};
"""),
    "javascript method": ("a.js", "use(x => x.NAME(1));\n", "z.js", "make_widget", r"""
class Base {⏎  async NAME(a) {⏎  }⏎}
class Base {⏎  static NAME = 1;⏎}
class Base {⏎  #x = 1;⏎  NAME = () => {⏎  };⏎}
Base.prototype.NAME = function () {⏎};
"""),
    "typescript": ("a.ts", "import { NAME } from './z';\n\nconst x: NAME = y;\n", "z.ts", "WidgetMaker", r"""
export interface NAME {⏎}
"""),
    "typescript bare": ("a.ts", "const x: NAME = y;\n", "z.ts", "WidgetMaker", r"""
interface NAME {⏎}
type NAME = string;
declare type NAME = string;
enum NAME {⏎  A,⏎}
namespace NAME {⏎}
declare class NAME {⏎}
"""),
    "typescript method": ("a.ts", "show(x.NAME);\n", "z.ts", "WidgetMaker", r"""
interface Base {⏎  NAME: string;⏎}
class Base {⏎  readonly NAME = 1;⏎}
enum Base {⏎  NAME = 'x',⏎}
class Base {⏎  NAME<T>(x: T) {⏎  }⏎}
abstract class Base {⏎  abstract NAME(): string;⏎}
"""),
    "go": ("a.go", "package a\n\nvar x = NAME(1)\n", "z.go", "make_widget", r"""
func NAME(a int) int {⏎}
type NAME int
const NAME = 1
var NAME = 1
const (⏎	NAME = 1⏎)
const (⏎	other = iota⏎	NAME⏎)
"""),
    "go method": ("a.go", "package a\n\nfunc f(b X) {\n\tb.NAME(1)\n}\n", "z.go", "make_widget", r"""
type Base interface {⏎	NAME(a int) error⏎}
type Base struct {⏎	NAME func(int)⏎}
type Base struct {⏎	NAME, other int⏎}
type Base struct {⏎	NAME map[string]int `json:"x"`⏎}
func (*Base) NAME() {⏎}
type Base struct {⏎	NAME int // what⏎}
"""),
    "rust": ("src/a.rs", "fn f() {\n    crate::z::NAME(1);\n}\n", "src/z.rs", "make_widget", r"""
pub fn NAME() {⏎}
pub use crate::y::NAME;
"""),
    "rust macro": ("src/a.rs", "fn f() {\n    NAME!(1);\n}\n", "src/z.rs", "make_widget", r"""
macro_rules! NAME {⏎}
#[proc_macro]⏎pub fn NAME(x: T) -> T {⏎}
"""),
    "rust method": ("src/a.rs", "fn f(b: X) {\n    b.NAME(1);\n}\n", "src/z.rs", "make_widget", r"""
trait Base {⏎    fn NAME(&self);⏎}
struct Base {⏎    pub NAME: Vec<u8>,⏎}
struct Base {⏎    NAME: fn(u8),⏎}
impl Base {⏎    pub(super) const fn NAME(self) {⏎    }⏎}
"""),
    "java": ("A.java", "class A {\n  NAME x;\n}\n", "Z.java", "WidgetMaker", r"""
public enum NAME {⏎}
public @interface NAME {⏎}
public sealed interface NAME permits B {⏎}
public non-sealed class NAME {⏎}
public abstract static class NAME {⏎}
public strictfp class NAME {⏎}
"""),
    "java method": ("A.java", "class A {\n  int f(X b) {\n  return b.NAME(1);\n  }\n}\n", "Z.java", "make_widget", r"""
class B {⏎  protected synchronized void NAME(⏎      int a) {⏎  }⏎}
class B {⏎  <T> T NAME(T a) {⏎  }⏎}
class B {⏎  @Nullable String NAME() {⏎  }⏎}
"""),
    "java field": ("A.java", "class A {\n  int f(X b) {\n    return b.NAME;\n  }\n}\n", "Z.java", "make_widget", r"""
class B {⏎  public static final int NAME = 1;⏎}
class B {⏎  private final Map<String, List<X>> NAME = x();⏎}
class B {⏎  public volatile int NAME;⏎}
class B {⏎  protected transient int[] NAME;⏎}
"""),
    "java constant": ("A.java", "class A {\n  int f() {\n    return B.NAME;\n  }\n}\n", "Z.java", "MAKE_WIDGET", r"""
enum B {⏎  NAME(1),⏎}
interface B {⏎  int NAME = 1;⏎}
"""),
    "kotlin": ("A.kt", "fun f() = NAME(1)\n", "Z.kt", "make_widget", r"""
suspend fun NAME() {⏎}
inline fun <reified T> NAME() {⏎}
data class NAME(val a: Int)
object NAME
enum class NAME {⏎}
typealias NAME = Int
fun interface NAME {⏎}
val NAME = 1
operator fun Foo.NAME(x: Int) {⏎}
infix fun Foo.NAME(x: Int) {⏎}
value class NAME(val x: Int)
annotation class NAME
tailrec fun NAME() {⏎}
expect fun NAME()
actual fun NAME() = 1
fun List<Map<String, Int>>.NAME() = 1
val String.NAME get() = 1
inner class NAME
external fun NAME()
@Foo fun NAME() = 1
"""),
    "csharp": ("A.cs", "class A {\n  NAME x;\n}\n", "Z.cs", "WidgetMaker", r"""
public struct NAME {⏎}
public delegate void NAME(int a);
public record struct NAME(int A);
file class NAME {⏎}
public record class NAME(int A);
"""),
    "csharp method": ("A.cs", "class A {\n  int F(X b) {\n    return b.NAME(1);\n  }\n}\n", "Z.cs", "make_widget", r"""
class B {⏎  int NAME(int a) {⏎  }⏎}
class B {⏎  public int NAME { get; set; }⏎}
interface B {⏎  int NAME(int a);⏎}
class B {⏎  public int NAME => 1;⏎}
class B {⏎  private protected int NAME;⏎}
interface B {⏎  int NAME { get; }⏎}
"""),
    "csharp constant": ("A.cs", "class A {\n  int F() {\n    return B.NAME;\n  }\n}\n", "Z.cs", "MakeWidget", r"""
enum B { OTHER, NAME }
enum B {⏎  NAME = 1 << 2,⏎}
"""),
    "c": ("a.c", "int main(void)\n{\n\treturn NAME(1);\n}\n", "z.h", "make_widget", r"""
int NAME(int a);
#  define NAME 1
typedef int NAME;
extern int NAME;
extern const char *NAME[];
int⏎NAME(int a)⏎{⏎}
struct foo NAME = {⏎};
int (*NAME)(int a);
void (*NAME(int a))(int);
extern "C" int NAME(int a);
[[nodiscard]] int NAME(int a);
"""),
    "c constant": ("a.c", "int main(void)\n{\n\treturn NAME;\n}\n", "z.h", "MAKE_WIDGET", r"""
enum {⏎	NAME,⏎};
enum foo {⏎	NAME = 1,⏎};
enum foo {⏎	NAME⏎};
"""),
    "c type": ("a.c", "int main(struct NAME *x)\n{\n}\n", "z.h", "WidgetMaker", r"""
struct NAME⏎{⏎	int a;⏎};
enum NAME { A };
struct __packed NAME {⏎};
struct __attribute__((packed)) NAME {⏎};
"""),
    "c member": ("a.c", "int main(struct bar *x)\n{\n\treturn x->NAME;\n}\n", "z.h", "make_widget", r"""
struct foo {⏎	int NAME : 1;⏎};
struct foo {⏎	char NAME[MAX];⏎};
struct foo {⏎	union {⏎		int a;⏎	} NAME;⏎};
struct foo {⏎	int NAME = 1;⏎};
"""),
    "c++": ("a.cpp", "int main()\n{\n  return d::NAME(1);\n}\n", "z.hpp", "make_widget", r"""
decltype(auto) NAME(int a) {⏎}
[[nodiscard]] constexpr auto NAME(int a) noexcept⏎{⏎}
template <typename T> T NAME(T a) {⏎}
using NAME = int;
class NAME final : public B {⏎};
template <class T> struct NAME {⏎};
enum class NAME : int {⏎};
enum struct NAME {⏎};
class EXPORT NAME {⏎};
class [[nodiscard]] NAME {⏎};
concept NAME = requires(T a) {⏎};
union NAME {⏎};
namespace NAME {⏎}
namespace e::NAME {⏎}
__attribute__((always_inline)) inline int NAME(int a) {⏎}
decltype(foo()) NAME(int a);
struct EXPORT_MACRO(x) NAME {⏎};
using NAME [[deprecated]] = int;
static const std::string NAME{"x"};
const std::vector<std::string> NAME = {⏎};
"""),
    "c++ method": ("a.cpp", "int main(X x)\n{\n  return x.NAME(1);\n}\n", "z.hpp", "make_widget", r"""
class B {⏎  int NAME{1};⏎};
class B {⏎  std::map<int, std::pair<int, int>> NAME;⏎};
class B {⏎  explicit operator bool() const;⏎  void NAME(int a,⏎            int b);⏎};
class B {⏎  constexpr static int NAME = 1;⏎};
class B {⏎  void NAME(int a) {}⏎};
"""),
    "ruby": ("a.rb", "NAME\n", "z.rb", "make_widget", r"""
def NAME⏎end
attr_reader :NAME
define_method(:NAME) do⏎end
alias NAME other
alias_method :NAME, :other
scope :NAME, -> { 1 }
delegate :NAME, to: :x
belongs_to :NAME
private_class_method def self.NAME⏎end
has_many :NAME
class << self⏎  def NAME⏎  end⏎end
"""),
    "ruby type": ("a.rb", "NAME.new\n", "z.rb", "WidgetMaker", r"""
class NAME⏎end
module NAME⏎end
NAME = Struct.new(:a)
NAME = Data.define(:a)
  NAME = Class.new(StandardError)
"""),
    "php": ("a.php", "<?php\nNAME(1);\n", "z.php", "make_widget", r"""
function &NAME() {⏎}
interface NAME {⏎}
trait NAME {⏎}
enum NAME: string {⏎}
final readonly class NAME {⏎}
const NAME = 1;
define('NAME', 1);
"""),
    "php method": ("a.php", "<?php\n$x->NAME(1);\n", "z.php", "make_widget", r"""
class B {⏎    private ?int $NAME = null;⏎}
class B {⏎    public const NAME = 1;⏎}
class B {⏎    final protected function NAME() {⏎    }⏎}
enum B {⏎    case NAME;⏎}
class B {⏎    public function __construct(⏎        private Foo $NAME,⏎    ) {}⏎}
"""),
    "shell": ("a.sh", "NAME\n", "z.sh", "make_widget", r"""
NAME() {⏎  true⏎}
"""),
}  # fmt: skip
# What belongs to an object is used with it, whose type or file is named somewhere; it is looked for in an edited file.
OF_OBJECTS = ("method", "member", "field")


def list_forms() -> Iterator[tuple[str, str]]:
    for language, (*_, forms) in FORMS.items():
        for form in forms.strip().splitlines():
            yield language, form


@rows(("language", "form"), *list_forms())
def test_no_commit_uses_what_a_later_one_defines(language: str, form: str) -> None:
    user, use, definer, name, _ = FORMS[language]
    definition = form.replace("⏎", "\n").replace("NAME", name)
    statuses = ["M"] if language.endswith(OF_OBJECTS) else ["A", "M"]
    for status in statuses:
        uses = unit(status, user, lines=("", use.replace("NAME", name)))
        defines = unit(status, definer, lines=("", definition))
        order = order_groups([[uses], [defines]])
        assert defines in order[0]


@rows("language", *[language for language in FORMS if not language.endswith(OF_OBJECTS)])
def test_a_definition_goes_after_its_uses(language: str) -> None:
    user, use, definer, name, forms = FORMS[language]
    form = forms.strip().partition("\n")[0].replace("⏎", "\n")
    # Sorting must not do it: the definition comes first.
    defines = unit("D", f"b/{definer}", lines=(form.replace("NAME", name), ""))
    uses = unit("D", f"y/{user}", lines=(use.replace("NAME", name), ""))
    assert order_groups([[defines], [uses]]) == [[uses], [defines]]


@rows(
    ("changes", "expected"),
    # What a trait declares changes with what implements it, unless its name may stand for several things.
    ([("a/disk.rs", "    fn load_all(a: u32) {", "    fn load_all(a: u32, b: u32) {"),
      ("b/store.rs", "    fn load_all(a: u32);", "    fn load_all(a: u32, b: u32);")],
     [["a/disk.rs", "b/store.rs"]]),
    ([("a/disk.rs", "    fn load_all(a: u32) {", "    fn load_all(a: u32, b: u32) {"),
      ("b/store.rs", "    fn load_all(a: u32) {", "    fn load_all(a: u32, b: u32) {")],
     [["a/disk.rs"], ["b/store.rs"]]),
    ([("a/disk.rs", "    fn load(a: u32) {", "    fn load(a: u32, b: u32) {"),
      ("b/store.rs", "    fn load(a: u32);", "    fn load(a: u32, b: u32);")], [["a/disk.rs"], ["b/store.rs"]]),
    ([("a/Disk.java", "x", "    public void closeAll() {"), ("b/Store.java", "x", "    void closeAll();")],
     [["a/Disk.java", "b/Store.java"]]),
    ([("a/Disk.java", "x", "    disk.closeAll();"), ("b/Store.java", "x", "    void closeAll();")],
     [["b/Store.java"], ["a/Disk.java"]]),
    ([("a/Disk.java", "x", "    public void closeAll() {"), ("b/Store.java", "x", "    void closeAll();"),
      ("c/Net.java", "x", "    public void closeAll() {")], [["a/Disk.java", "b/Store.java", "c/Net.java"]]),
    # C needs no more than a declaration.
    ([("a/disk.c", "x", "int close_all(void) {"), ("b/store.h", "x", "int close_all(void);")],
     [["a/disk.c"], ["b/store.h"]]),
    # A call grows with the parameters of a function, and not with the bases of a class.
    ([("a.py", "show(1)", "show(1, 2)"), ("z.py", "def show(a):", "def show(a, b):")], [["a.py", "z.py"]]),
    ([("a.py", "x = Cart()", "x = Cart(1)"), ("z.py", "class Cart:", "class Cart(Base):")], [["z.py"], ["a.py"]]),
    # A field can have the name of a type that other lines have.
    ([("a/log.go", "func Open(p *Provider) {", "func Open(p *Provider) *Log {\ne := &Entry{\nProvider: name,"),
      ("z/entry.go", "x", "\tProvider string `json:\"provider\"`")], [["z/entry.go"], ["a/log.go"]]),
    ([("a/Log.cs", "void Open(Provider p) {", "void Open(Provider p, int a) {\nvar b = entry.Provider;"),
      ("z/Entry.cs", "x", "    public string Provider;")], [["z/Entry.cs"], ["a/Log.cs"]]),
    ([("a/log.go", "e.Provider = one", "e.Provider = two"),
      ("z/entry.go", "x", "\tProvider string `json:\"provider\"`")], [["a/log.go"], ["z/entry.go"]]),
    # A comment uses nothing.
    ([("a.rs", "x", "/// Kept for fill_cart.\nlet y = 1;"), ("z.rs", "x", "fn fill_cart() {")], [["a.rs"], ["z.rs"]]),
    ([("a.py", "x", "# fill_cart is slow\ny = 1"), ("z.py", "x", "def fill_cart():")], [["a.py"], ["z.py"]]),
    # Nobody calls a test.
    ([("a.py", "test_show(1)", "test_show(1, 2)"), ("z.py", "def test_show(a):", "def test_show(a, b):")],
     [["a.py"], ["z.py"]]),
    # A module may be named without the first folders above it, or in Java of its package, but not by its last part.
    ([("a.py", "", "import cart.rates"), ("src/a/cart/rates.py", "", "x = 1")],
     [["src/a/cart/rates.py"], ["a.py"]]),
    ([("A.java", "", "import shop.cart.Rates;"), ("cart/Rates.java", "", "class Rates {")],
     [["cart/Rates.java"], ["A.java"]]),
    ([("A.java", "", "import Rates;"), ("Rates.java", "", "class Other {")], [["Rates.java"], ["A.java"]]),
    ([("a.lua", "x", "require('.rates')"), ("rates.lua", "", "x = 1")], [["rates.lua"], ["a.lua"]]),
    ([("cart/a.py", "", "from . import rates"), ("cart/rates.py", "", "x = 1")], [["cart/rates.py"], ["cart/a.py"]]),
    ([("a.py", "", "import rates"), ("web/cart/rates.py", "", "x = 1")], [["a.py"], ["web/cart/rates.py"]]),
    # The name of a file alone tells which one is meant only if few others are called so.
    ([("Makefile", "a:", "\tpython tool.py"), ("web/tool.py", "", "x = 1")], [["Makefile"], ["web/tool.py"]]),
    ([("Makefile", "a:", "\tpython web/tool.py"), ("a/web/tool.py", "", "x = 1")],
     [["a/web/tool.py"], ["Makefile"]]),
    ([("Makefile", "a:", "\tread data.csv"), ("web/data.csv", "", "1")], [["web/data.csv"], ["Makefile"]]),
    ([("Makefile", "a:", "\tread notes.toml"), ("web/notes.toml", "", "1")], [["Makefile"], ["web/notes.toml"]]),
)  # fmt: skip
def test_files_are_in_the_order_that_they_need(changes: list[tuple[str, str, str]], expected: list[list[str]]) -> None:
    groups = [[unit("M" if old else "A", path, lines=(old, new))] for path, old, new in changes]
    assert names(order_groups(groups)) == expected
