"""A definition comes before its uses, whatever its form: no commit uses what a later one defines."""

from __future__ import annotations

from collections.abc import Iterator

from smartcommit.split.ordering import order_groups
from tests.split.ordering_test import unit
from tests.support.table import rows

# A file that sorts first and uses NAME, the file that defines it, the name, and forms of its definition, one a line.
FORMS = {
    "python": ("a.py", "from z import NAME\n\nx = NAME\n", "z.py", "make_widget", r"""
def NAME():⏎    pass
async def NAME():⏎    pass
class NAME:⏎    pass
class NAME(Base, metaclass=Meta):⏎    pass
NAME = 1
NAME: int = 1
NAME = namedtuple('NAME', 'a b')
@decorator⏎def NAME():⏎    pass
type NAME = int
if True:⏎    def NAME():⏎        pass
NAME = lambda: 1
NAME, other_name = 1, 2
from elsewhere import NAME
import elsewhere as NAME
def NAME[T](x: T):⏎    pass
def NAME(⏎    a,⏎    b,⏎):⏎    pass
try:⏎    from fast import NAME⏎except ImportError:⏎    NAME = None
with open('x') as NAME:⏎    pass
NAME: TypeAlias = int
"""),
    "python method": ("a.py", "def use(x):\n    return x.NAME(1)\n", "z.py", "make_widget", r"""
class Base:⏎    def NAME(self):⏎        pass
class Base:⏎    @property⏎    def NAME(self):⏎        pass
class Base:⏎    NAME = 1
class Base:⏎    NAME: int = 1
class Base:⏎    def __init__(self):⏎        self.NAME = 1
class Color(Enum):⏎    NAME = 'red'
class Base:⏎    async def NAME(self):⏎        pass
class Base:⏎    @staticmethod⏎    def NAME():⏎        pass
class Base:⏎    NAME = Column(Integer)
"""),
    "javascript": ("a.js", "import { NAME } from './z';\n\nNAME(1);\n", "z.js", "make_widget", r"""
export function NAME() {⏎}
export async function NAME() {⏎}
export function* NAME() {⏎}
export const NAME = () => 1;
export const NAME = 1;
export let NAME = 1;
export class NAME {⏎}
export default class NAME extends Base {⏎}
function NAME() {⏎}⏎export { NAME };
const other = 1;⏎export { other as NAME };
export { NAME } from './y';
exports.NAME = function () {⏎};
module.exports = { NAME };
module.exports.NAME = 1;
export const { NAME, other } = make();
const NAME = 1;⏎module.exports = { NAME: NAME };
export default function NAME() {⏎}
export var NAME = function () {⏎};
export default NAME;
"""),
    "javascript bare": ("a.js", "NAME(1);\n", "z.js", "make_widget", r"""
function NAME() {⏎}
const NAME = () => 1;
class NAME {⏎}
var NAME = function () {⏎};
async function NAME() {⏎}
window.NAME = function () {⏎};
const NAME = async (x) => {⏎};
"""),
    "javascript method": ("a.js", "use(x => x.NAME(1));\n", "z.js", "make_widget", r"""
class Base {⏎  NAME() {⏎  }⏎}
class Base {⏎  async NAME(a) {⏎  }⏎}
class Base {⏎  static NAME = 1;⏎}
class Base {⏎  get NAME() {⏎  }⏎}
const base = {⏎  NAME() {⏎  },⏎};
class Base {⏎  #x = 1;⏎  NAME = () => {⏎  };⏎}
Base.prototype.NAME = function () {⏎};
"""),
    "typescript": ("a.ts", "import { NAME } from './z';\n\nconst x: NAME = y;\n", "z.ts", "WidgetMaker", r"""
export interface NAME {⏎}
export type NAME = string;
export type NAME<T> = T[];
export enum NAME {⏎  A,⏎}
export const enum NAME {⏎  A,⏎}
export abstract class NAME {⏎}
export declare function NAME(): void;
export namespace NAME {⏎}
export function NAME<T>(x: T): T {⏎}
export const NAME: Foo = 1;
export declare const NAME: number;
type NAME = string;⏎export type { NAME };
export type { NAME } from './y';
declare module 'x' {⏎  interface NAME {⏎  }⏎}
export declare class NAME {⏎}
"""),
    "typescript bare": ("a.ts", "const x: NAME = y;\n", "z.ts", "WidgetMaker", r"""
interface NAME {⏎}
type NAME = string;
declare type NAME = string;
enum NAME {⏎  A,⏎}
declare global {⏎  interface NAME {⏎  }⏎}
namespace NAME {⏎}
abstract class NAME {⏎}
declare class NAME {⏎}
"""),
    "typescript method": ("a.ts", "show(x.NAME);\n", "z.ts", "WidgetMaker", r"""
interface Base {⏎  NAME: string;⏎}
interface Base {⏎  NAME?: string;⏎}
interface Base {⏎  NAME(): string;⏎}
class Base {⏎  private NAME: string;⏎}
class Base {⏎  readonly NAME = 1;⏎}
class Base {⏎  public async NAME(): Promise<void> {⏎  }⏎}
enum Base {⏎  NAME = 'x',⏎}
interface Base {⏎  readonly NAME: string;⏎}
class Base {⏎  NAME<T>(x: T) {⏎  }⏎}
abstract class Base {⏎  abstract NAME(): string;⏎}
"""),
    "go": ("a.go", "package a\n\nvar x = NAME(1)\n", "z.go", "make_widget", r"""
func NAME(a int) int {⏎}
func NAME[T any](a T) T {⏎}
type NAME struct {⏎}
type NAME int
type NAME = int
type NAME[T any] struct {⏎}
const NAME = 1
var NAME = 1
const (⏎	NAME = 1⏎)
var (⏎	NAME = 1⏎)
var NAME, other = 1, 2
type NAME func(int) int
type NAME interface {⏎}
func NAME(⏎	a int,⏎) int {⏎}
var NAME func(int) int
const (⏎	other = iota⏎	NAME⏎)
"""),
    "go method": ("a.go", "package a\n\nfunc f(b X) {\n\tb.NAME(1)\n}\n", "z.go", "make_widget", r"""
func (b *Base) NAME(a int) {⏎}
func (b Base[T]) NAME() {⏎}
type Base interface {⏎	NAME(a int) error⏎}
type Base struct {⏎	NAME func(int)⏎}
type Base struct {⏎	NAME, other int⏎}
type Base struct {⏎	NAME map[string]int `json:"x"`⏎}
func (*Base) NAME() {⏎}
type Base struct {⏎	NAME int // what⏎}
"""),
    "rust": ("src/a.rs", "fn f() {\n    crate::z::NAME(1);\n}\n", "src/z.rs", "make_widget", r"""
pub fn NAME() {⏎}
pub async fn NAME() {⏎}
pub const fn NAME() {⏎}
pub unsafe extern "C" fn NAME() {⏎}
pub(crate) fn NAME<T>(t: T) {⏎}
pub struct NAME(u8);
pub struct NAME {⏎}
pub enum NAME {⏎}
pub trait NAME {⏎}
pub type NAME = u8;
pub const NAME: u8 = 1;
pub static NAME: u8 = 1;
pub static mut NAME: u8 = 1;
pub union NAME {⏎}
pub use crate::y::NAME;
pub use crate::y::Other as NAME;
#[inline]⏎pub fn NAME() {⏎}
pub fn NAME<⏎    T: Foo,⏎>(t: T) {⏎}
pub trait NAME: Foo + Bar {⏎}
"""),
    "rust macro": ("src/a.rs", "fn f() {\n    NAME!(1);\n}\n", "src/z.rs", "make_widget", r"""
macro_rules! NAME {⏎}
#[macro_export]⏎macro_rules! NAME {⏎}
#[proc_macro]⏎pub fn NAME(x: T) -> T {⏎}
"""),
    "rust method": ("src/a.rs", "fn f(b: X) {\n    b.NAME(1);\n}\n", "src/z.rs", "make_widget", r"""
impl Base {⏎    pub fn NAME(&self) {⏎    }⏎}
trait Base {⏎    fn NAME(&self);⏎}
struct Base {⏎    pub NAME: Vec<u8>,⏎}
impl Base {⏎    pub async fn NAME(&self) {⏎    }⏎}
struct Base {⏎    NAME: fn(u8),⏎}
impl Base {⏎    pub(super) const fn NAME(self) {⏎    }⏎}
"""),
    "java": ("A.java", "class A {\n  NAME x;\n}\n", "Z.java", "WidgetMaker", r"""
public class NAME {⏎}
class NAME {⏎}
public final class NAME<T> extends B {⏎}
public interface NAME {⏎}
public enum NAME {⏎}
public record NAME(int a) {⏎}
public @interface NAME {⏎}
public sealed interface NAME permits B {⏎}
@Deprecated⏎public class NAME {⏎}
public non-sealed class NAME {⏎}
public abstract static class NAME {⏎}
public strictfp class NAME {⏎}
"""),
    "java method": ("A.java", "class A {\n  int f(X b) {\n  return b.NAME(1);\n  }\n}\n", "Z.java", "make_widget", r"""
class B {⏎  public int NAME(int a) {⏎  }⏎}
class B {⏎  int NAME(int a) {⏎  }⏎}
class B {⏎  public static <T> List<T> NAME(T a) {⏎  }⏎}
class B {⏎  @Override⏎  public Map<String, List<Integer>> NAME() {⏎  }⏎}
interface B {⏎  int NAME(int a);⏎}
interface B {⏎  default int NAME(int a) {⏎  }⏎}
class B {⏎  public int[] NAME() {⏎  }⏎}
class B {⏎  protected synchronized void NAME(⏎      int a) {⏎  }⏎}
class B {⏎  <T> T NAME(T a) {⏎  }⏎}
class B {⏎  @Nullable String NAME() {⏎  }⏎}
class B {⏎  void NAME() throws IOException {⏎  }⏎}
class B {⏎  public abstract Foo NAME(int a);⏎}
class B {⏎  private final Foo.Bar NAME() {⏎  }⏎}
class B {⏎  List<String> NAME() {⏎  }⏎}
class B {⏎  Map<String, Integer> NAME() {⏎  }⏎}
"""),
    "java field": ("A.java", "class A {\n  int f(X b) {\n    return b.NAME;\n  }\n}\n", "Z.java", "make_widget", r"""
class B {⏎  public int NAME;⏎}
class B {⏎  public static final int NAME = 1;⏎}
class B {⏎  private final Map<String, List<X>> NAME = x();⏎}
class B {⏎  int NAME;⏎}
class B {⏎  Foo NAME = new Foo();⏎}
class B {⏎  public volatile int NAME;⏎}
class B {⏎  protected transient int[] NAME;⏎}
class B {⏎  public final Map<String, Integer> NAME = new HashMap<>();⏎}
"""),
    "java constant": ("A.java", "class A {\n  int f() {\n    return B.NAME;\n  }\n}\n", "Z.java", "MAKE_WIDGET", r"""
enum B {⏎  NAME,⏎}
enum B {⏎  NAME(1),⏎}
enum B {⏎  NAME;⏎}
enum B {⏎  OTHER, NAME⏎}
interface B {⏎  int NAME = 1;⏎}
enum B { OTHER, NAME }
"""),
    "kotlin": ("A.kt", "fun f() = NAME(1)\n", "Z.kt", "make_widget", r"""
fun NAME(a: Int) = 1
fun <T> NAME(a: T) = 1
suspend fun NAME() {⏎}
inline fun <reified T> NAME() {⏎}
fun String.NAME() = 1
class NAME
data class NAME(val a: Int)
sealed class NAME {⏎}
object NAME
enum class NAME {⏎}
typealias NAME = Int
interface NAME {⏎}
fun interface NAME {⏎}
val NAME = 1
const val NAME = 1
@Composable⏎fun NAME() {⏎}
internal fun NAME() {⏎}
operator fun Foo.NAME(x: Int) {⏎}
infix fun Foo.NAME(x: Int) {⏎}
value class NAME(val x: Int)
@JvmInline⏎value class NAME(val x: Int)
fun <T> List<T>.NAME() = 1
annotation class NAME
tailrec fun NAME() {⏎}
sealed interface NAME
expect fun NAME()
actual fun NAME() = 1
fun List<Map<String, Int>>.NAME() = 1
lateinit var NAME: Foo
val String.NAME get() = 1
inner class NAME
external fun NAME()
fun Foo?.NAME() = 1
@Foo fun NAME() = 1
private val NAME by lazy { 1 }
fun kotlin.String.NAME() = 1
"""),
    "csharp": ("A.cs", "class A {\n  NAME x;\n}\n", "Z.cs", "WidgetMaker", r"""
public class NAME {⏎}
public sealed class NAME<T> : B {⏎}
public interface NAME {⏎}
public enum NAME {⏎}
public record NAME(int A);
public struct NAME {⏎}
public readonly struct NAME {⏎}
public delegate void NAME(int a);
public record struct NAME(int A);
internal static partial class NAME {⏎}
[Serializable]⏎public class NAME {⏎}
file class NAME {⏎}
public ref struct NAME {⏎}
public unsafe struct NAME {⏎}
public record class NAME(int A);
public readonly record struct NAME(int A);
public static class NAME {⏎}
public new class NAME {⏎}
"""),
    "csharp method": ("A.cs", "class A {\n  int F(X b) {\n    return b.NAME(1);\n  }\n}\n", "Z.cs", "make_widget", r"""
class B {⏎  public int NAME(int a) {⏎  }⏎}
class B {⏎  int NAME(int a) {⏎  }⏎}
class B {⏎  public async Task<List<int>> NAME() {⏎  }⏎}
class B {⏎  public int NAME { get; set; }⏎}
class B {⏎  public required int NAME { get; init; }⏎}
interface B {⏎  int NAME(int a);⏎}
class B {⏎  public int NAME => 1;⏎}
class B {⏎  public int NAME() => 1;⏎}
class B {⏎  public static readonly int NAME = 1;⏎}
class B {⏎  public event Handler NAME;⏎}
class B {⏎  public const int NAME = 1;⏎}
class B {⏎  public T NAME<T>(T a) where T : X {⏎  }⏎}
class B {⏎  public Dictionary<string, int> NAME(int a)⏎  {⏎  }⏎}
class B {⏎  private protected int NAME;⏎}
class B {⏎  public int? NAME;⏎}
static class B {⏎  public static int NAME(this Foo a) {⏎  }⏎}
class B {⏎  public new virtual int[] NAME(⏎    int a)⏎  {⏎  }⏎}
interface B {⏎  int NAME { get; }⏎}
class B {⏎  public unsafe ref int NAME() {⏎  }⏎}
"""),
    "csharp constant": ("A.cs", "class A {\n  int F() {\n    return B.NAME;\n  }\n}\n", "Z.cs", "MakeWidget", r"""
enum B {⏎  NAME,⏎}
enum B {⏎  NAME = 1,⏎}
enum B {⏎  OTHER,⏎  NAME⏎}
enum B { OTHER, NAME }
enum B {⏎  NAME = 1 << 2,⏎}
"""),
    "c": ("a.c", "int main(void)\n{\n\treturn NAME(1);\n}\n", "z.h", "make_widget", r"""
int NAME(int a);
extern int NAME(int a);
static inline int NAME(int a)⏎{⏎}
#define NAME(a) 1
#define NAME 1
#  define NAME 1
struct foo *NAME(int a);
const char *NAME(void);
unsigned long long NAME(void);
typedef int NAME;
typedef int (*NAME)(int);
typedef struct {⏎	int a;⏎} NAME;
typedef struct foo {⏎	int a;⏎} NAME;
extern int NAME;
extern const char *NAME[];
static const int NAME = 1;
int⏎NAME(int a)⏎{⏎}
__attribute__((noreturn)) void NAME(int a);
void NAME(int a) __attribute__((noreturn));
static __always_inline int NAME(int a)⏎{⏎}
EXPORT int NAME(int a);
EXPORT(int) NAME(int a);
int NAME(int a,⏎	int b);
struct foo⏎NAME(int a)⏎{⏎}
void *NAME(size_t n);
static int NAME = 1;
char **NAME(void)⏎{⏎}
struct foo NAME = {⏎};
int (*NAME)(int a);
void (*NAME(int a))(int);
extern "C" int NAME(int a);
[[nodiscard]] int NAME(int a);
_Noreturn void NAME(int a);
static int *NAME(int a) {⏎}
API_EXPORT extern int NAME(int a);
long NAME (int a);
void NAME(struct foo *a, int b)⏎{⏎}
"""),
    "c constant": ("a.c", "int main(void)\n{\n\treturn NAME;\n}\n", "z.h", "MAKE_WIDGET", r"""
enum {⏎	NAME,⏎};
enum foo {⏎	NAME = 1,⏎};
enum foo {⏎	NAME⏎};
"""),
    "c type": ("a.c", "int main(struct NAME *x)\n{\n}\n", "z.h", "WidgetMaker", r"""
struct NAME {⏎	int a;⏎};
struct NAME⏎{⏎	int a;⏎};
struct NAME { int a; };
union NAME {⏎	int a;⏎};
enum NAME { A };
typedef struct NAME NAME;
struct __packed NAME {⏎};
typedef enum NAME {⏎	A,⏎} NAME;
typedef union NAME {⏎} NAME;
struct __attribute__((packed)) NAME {⏎};
struct NAME { /* a */⏎};
"""),
    "c member": ("a.c", "int main(struct bar *x)\n{\n\treturn x->NAME;\n}\n", "z.h", "make_widget", r"""
struct foo {⏎	int NAME;⏎};
struct foo {⏎	int NAME : 1;⏎};
struct foo {⏎	char NAME[MAX];⏎};
struct foo {⏎	int (*NAME)(int a);⏎};
struct foo {⏎	int other, NAME;⏎};
struct foo {⏎	struct bar NAME;⏎};
struct foo {⏎	int NAME; /* what */⏎};
struct foo {⏎	union {⏎		int a;⏎	} NAME;⏎};
struct foo {⏎	const struct bar *const NAME;⏎};
struct foo {⏎	int NAME = 1;⏎};
struct foo {⏎	int NAME;	// what⏎};
struct foo {⏎	const int NAME;⏎};
"""),
    "c++": ("a.cpp", "int main()\n{\n  return d::NAME(1);\n}\n", "z.hpp", "make_widget", r"""
decltype(auto) NAME(int a) {⏎}
template <class T>⏎decltype(auto) NAME(⏎  T & a)⏎{⏎}
auto NAME(int a) -> int {⏎}
auto NAME(int a) -> int;
[[nodiscard]] int NAME(int a);
[[nodiscard]] constexpr auto NAME(int a) noexcept⏎{⏎}
template <typename T> T NAME(T a) {⏎}
template <typename T>⏎T NAME(T a) {⏎}
template <typename T,⏎          typename U>⏎std::vector<T> NAME(T a,⏎                    U b)⏎{⏎}
std::map<int, std::string> NAME(int a);
inline std::unique_ptr<Foo> NAME(int a)⏎{⏎}
constexpr int NAME = 1;
inline constexpr std::string_view NAME = "x";
using NAME = int;
template <class T>⏎using NAME = std::vector<T>;
typedef std::vector<int> NAME;
typedef std::map<int, int> NAME;
namespace e {⏎decltype(auto) NAME(int a) {⏎}⏎}
namespace e {⏎  int NAME(int a) {⏎  }⏎}
namespace e {⏎  [[nodiscard]] auto NAME(int a) -> int;⏎}
struct NAME {⏎};
class NAME {⏎};
class NAME final : public B {⏎};
struct NAME : public B {⏎};
struct NAME⏎{⏎};
template <class T> struct NAME {⏎};
template <class T>⏎struct NAME : B<T> {⏎};
enum class NAME : int {⏎};
enum struct NAME {⏎};
class EXPORT NAME {⏎};
class [[nodiscard]] NAME {⏎};
template <class T> concept NAME = true;
concept NAME = requires(T a) {⏎};
template <class T>⏎concept NAME = true;
int Foo::NAME(int a)⏎{⏎}
std::vector<int> Foo<T>::NAME(int a) const⏎{⏎}
const std::string& NAME(int a);
friend int NAME(int a);
static_cast_t *NAME(int a) {⏎}
std::pair<int, int> NAME(int a) {⏎}
union NAME {⏎};
namespace NAME {⏎}
namespace e::NAME {⏎}
namespace NAME = d::e;
inline namespace NAME {⏎}
extern "C" void NAME(int a);
consteval int NAME(int a) {⏎}
template <class T, class = std::enable_if_t<(sizeof(T) > 4)>>⏎T NAME(T a) {⏎}
template <class T> requires Foo<T>⏎T NAME(T a) {⏎}
__attribute__((always_inline)) inline int NAME(int a) {⏎}
static auto NAME = [](int a) {⏎};
inline const auto NAME = foo();
BOOST_FORCEINLINE int NAME(int a) {⏎}
API(int) NAME(int a);
decltype(foo()) NAME(int a);
std::function<int(int)> NAME(int a);
typename T::type NAME(int a) {⏎}
template <class T>⏎typename T::type NAME(T a) {⏎}
template <class T> typename T::type⏎NAME(T a) {⏎}
::std::string NAME(int a);
auto NAME(int a) {⏎}
auto& NAME(int a) {⏎}
const auto* NAME(int a);
template <> int NAME<int>(int a) {⏎}
struct EXPORT_MACRO(x) NAME {⏎};
int NAME(int a) noexcept(true);
using NAME [[deprecated]] = int;
template <class T> inline constexpr bool NAME = true;
template <class T>⏎inline constexpr bool NAME = true;
static const std::string NAME{"x"};
extern int NAME;
thread_local int NAME = 1;
const std::vector<std::string> NAME = {⏎};
"""),
    "c++ method": ("a.cpp", "int main(X x)\n{\n  return x.NAME(1);\n}\n", "z.hpp", "make_widget", r"""
class B {⏎  int NAME(int a);⏎};
class B {⏎public:⏎  virtual int NAME(int a) const = 0;⏎};
class B {⏎  int NAME(int a) const override;⏎};
class B {⏎  int NAME(int a) const {⏎  }⏎};
class B {⏎  [[nodiscard]] bool NAME() const noexcept { return true; }⏎};
class B {⏎  auto NAME() const -> int;⏎};
class B {⏎  decltype(auto) NAME() {⏎  }⏎};
class B {⏎  template <class T> T NAME(T a);⏎};
class B {⏎  std::vector<int> NAME;⏎};
class B {⏎  int NAME = 1;⏎};
class B {⏎  int NAME{1};⏎};
class B {⏎  static int NAME(int a) { return 1; }⏎};
class B {⏎  std::map<int, std::pair<int, int>> NAME;⏎};
class B {⏎  const std::string& NAME() const { return n; }⏎};
class B {⏎  explicit operator bool() const;⏎  void NAME(int a,⏎            int b);⏎};
class B {⏎  constexpr static int NAME = 1;⏎};
class B {⏎  std::function<void(int)> NAME;⏎};
class B {⏎  mutable std::mutex NAME;⏎};
class B {⏎  inline static const int NAME = 1;⏎};
class B {⏎  void NAME(int a) {}⏎};
class B {⏎  virtual ~B();⏎  virtual void NAME(int a);⏎};
class B {⏎  friend class C;⏎  B& NAME(int a) &&;⏎};
"""),
    "ruby": ("a.rb", "NAME\n", "z.rb", "make_widget", r"""
def NAME⏎end
def self.NAME(a)⏎end
def NAME = 1
attr_reader :NAME
define_method(:NAME) do⏎end
private def NAME⏎end
alias NAME other
alias_method :NAME, :other
scope :NAME, -> { 1 }
delegate :NAME, to: :x
memoize def NAME⏎end
belongs_to :NAME
private_class_method def self.NAME⏎end
has_many :NAME
class << self⏎  def NAME⏎  end⏎end
"""),
    "ruby type": ("a.rb", "NAME.new\n", "z.rb", "WidgetMaker", r"""
class NAME⏎end
class NAME < Base⏎end
module NAME⏎end
NAME = Struct.new(:a)
NAME = Class.new(Base)
class Foo::NAME⏎end
NAME = Data.define(:a)
  NAME = Class.new(StandardError)
class NAME < Struct.new(:a); end
"""),
    "php": ("a.php", "<?php\nNAME(1);\n", "z.php", "make_widget", r"""
function NAME($a) {⏎}
function &NAME() {⏎}
class NAME {⏎}
final class NAME extends B {⏎}
abstract class NAME {⏎}
interface NAME {⏎}
trait NAME {⏎}
enum NAME: string {⏎}
readonly class NAME {⏎}
final readonly class NAME {⏎}
const NAME = 1;
define('NAME', 1);
"""),
    "php method": ("a.php", "<?php\n$x->NAME(1);\n", "z.php", "make_widget", r"""
class B {⏎    public function NAME() {⏎    }⏎}
class B {⏎    public static function NAME(): int {⏎    }⏎}
class B {⏎    public $NAME;⏎}
class B {⏎    private ?int $NAME = null;⏎}
class B {⏎    public const NAME = 1;⏎}
class B {⏎    function NAME() {⏎    }⏎}
class B {⏎    final protected function NAME() {⏎    }⏎}
class B {⏎    abstract public function NAME();⏎}
enum B {⏎    case NAME;⏎}
class B {⏎    protected array $NAME = [];⏎}
class B {⏎    public function __construct(⏎        private Foo $NAME,⏎    ) {}⏎}
"""),
}  # fmt: skip
# What belongs to an object is used with it, whose type or file is named somewhere; it is looked for in an edited file.
OF_OBJECTS = ("method", "member", "field")


def list_forms() -> Iterator[tuple[str, str]]:
    for language, (*_, forms) in FORMS.items():
        for form in forms.strip().splitlines():
            yield language, form


@rows(("language", "form"), list_forms())
def test_no_commit_uses_what_a_later_one_defines(language: str, form: str) -> None:
    user, use, definer, name, _ = FORMS[language]
    definition = form.replace("⏎", "\n").replace("NAME", name)
    statuses = ["M"] if language.endswith(OF_OBJECTS) else ["A", "M"]
    for status in statuses:
        uses = unit(status, user, lines=("", use.replace("NAME", name)))
        defines = unit(status, definer, lines=("", definition))
        order = order_groups([[uses], [defines]])
        assert defines in order[0]
