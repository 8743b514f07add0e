"""Names that a change adds, removes, renames or touches."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from smartcommit.change.symbols import SymbolChanges, symbol_changes
from smartcommit.git.diff import FileChange, FileDiff, Hunk
from tests.support.table import rows

EXTENSIONS = [
    "py", "js", "go", "rs", "java", "c", "rb", "php", "sh", "swift", "toml", "md", "sql", "tf", "mk", "lua", "ex",
]  # fmt: skip


def changes(path: str, removed: str | bytes = "", added: str | bytes = "", context: str = "") -> SymbolChanges:
    before, after = (text.encode() if isinstance(text, str) else text for text in (removed, added))
    hunk = Hunk(
        1, 1, 1, 1, context.encode(), before.split(b"\n") if before else [], after.split(b"\n") if after else []
    )
    change = FileChange("M", path.encode(), None, "100644", "100644", "a" * 40, "b" * 40)
    return symbol_changes(FileDiff(change, [hunk]))


@rows(
    ("path", "line", "kind", "name"),
    [
        ("a.py", "def run(a):", "function", "run"),
        ("a.py", "    async def run(self):", "method", "run"),
        ("a.py", "class Thing(Base):", "class", "Thing"),
        ("a.py", "LIMIT: int = 3", "constant", "LIMIT"),
        ("test_a.py", "def test_runs():", "test", "test_runs"),
        ("a.js", "export default async function run(a) {", "function", "run"),
        ("a.js", "const run = async (a) => {", "function", "run"),
        ("a.ts", "export interface Thing {", "interface", "Thing"),
        ("a.ts", "  private async run(a: string) {", "method", "run"),
        ("a.test.ts", "  it.each(`does it`)", "test", "does it"),
        ("a.go", "func (s *Server) Run(ctx context.Context) error {", "method", "Run"),
        ("a.go", "type Thing struct {", "struct", "Thing"),
        ("a_test.go", "func TestRun(t *testing.T) {", "test", "TestRun"),
        ("a.rs", "    pub(crate) async fn run(&self) {", "function", "run"),
        ("a.rs", "pub trait Thing {", "trait", "Thing"),
        ("a.rs", "macro_rules! thing {", "macro", "thing"),
        ("A.java", "    public static List<String> run(int a) {", "method", "run"),
        ("A.java", "public final class Thing {", "class", "Thing"),
        ("A.cs", "    protected override void Run() {", "method", "Run"),
        ("A.kt", "fun <T> List<T>.run(): T {", "function", "run"),
        ("a.swift", "  public func run() {", "function", "run"),
        ("a.c", "static int run(void)", "function", "run"),
        ("a.cpp", "void Thing::run() {", "function", "run"),
        ("a.h", "#define LIMIT 3", "macro", "LIMIT"),
        ("a.hpp", "decltype(auto) run(", "function", "run"),
        ("a.hpp", "[[nodiscard]] std::map<int, std::function<int(int)>> run(int a) const", "function", "run"),
        ("a.hpp", "template <class T> struct EXPORT Thing : Base<T> {", "struct", "Thing"),
        ("a.hpp", "  bool run() const noexcept { return true; }", "function", "run"),
        ("a.hpp", "template <class T> using Thing = int;", "type", "Thing"),
        ("a.hpp", "inline namespace one::two {", "namespace", "two"),
        ("a.c", "run (int a)", "function", "run"),
        ("A.cs", "public readonly record struct Thing(int A);", "class", "Thing"),
        ("a.kt", "fun List<Map<String, Int>>.run() = 1", "function", "run"),
        ("a.rb", "  def self.run?(a)", "method", "run?"),
        ("a.php", "  public function run($a)", "function", "run"),
        ("a.sh", "run() {", "function", "run"),
        ("a.lua", "local function run(a)", "function", "run"),
        ("a.ex", "  defp run(a) do", "function", "run"),
        ("main.tf", 'variable "size" {', "variable", "size"),
        ("a.sql", "CREATE TABLE IF NOT EXISTS things (", "table", "things"),
        ("a.proto", "message Thing {", "message", "Thing"),
        ("Makefile", "clean: all", "target", "clean"),
        ("README.md", "## Installing it", "section", "Installing it"),
        ("a.toml", "[tool.x]", "section", "tool.x"),
        ("a.json", '  "strict": true,', "key", "strict"),
    ],
)
def test_a_line_defines_its_symbol(path: str, line: str, kind: str, name: str) -> None:
    found = changes(path, added=line)
    assert [(symbol.kind, symbol.name) for symbol in found.added] == [(kind, name)]
    gone = changes(path, removed=line)
    assert [(symbol.kind, symbol.name) for symbol in gone.removed] == [(kind, name)]


@rows(
    ("path", "line"),
    [
        ("a.c", "    run(a);"),
        ("a.c", "return run(a);"),
        ("a.c", "int a = run(b);"),
        ("a.c", "RUN_TESTS(a)"),
        ("a.c", "  } else if (run(a)) {"),
        ("a.c", "struct thing a = {"),
        ("a.cpp", "class Thing;"),
        ("a.cpp", "  std::thread worker([&](int a) {"),
        ("a.cpp", "  for (auto a : run(b)) {"),
        ("a.cpp", "  std::lock_guard<std::mutex> lock(mutex_);"),
        ("a.cpp", "  switch (run(a)) {"),
        ("A.java", "    return new Thing(a);"),
        ("A.java", "    private final Thing a = new Thing(b);"),
        ("a.js", "  if (a) {"),
        ("a.js", "  await run(a)"),
        ("a.unknown", "def run():"),
        ("Makefile", "A := b"),
        ("a.yml", "  name: x"),
    ],
)
def test_other_lines_define_nothing(path: str, line: str) -> None:
    assert changes(path, added=line) == SymbolChanges()


def test_the_enclosing_definition_is_touched() -> None:
    found = changes("a.py", "    a = 1", "    a = 2", context="def run(a):")
    assert [symbol.name for symbol in found.touched] == ["run"]


@rows(
    ("path", "line", "context", "touched"),
    [
        ("a.py", "print(1)", "def run():", []),
        ("a.py", "\n\ndef _stop():\n    return 1", "def run():", []),
        ("a.go", "var x = 1", "func run() {", []),
        ("a.md", "text", "# run", ["run"]),
        ("setup.toml", "[lint]", "indent = 2", []),
        ("setup.toml", "    'b',", "names = [", ["names"]),
    ],
)
def test_what_begins_in_the_first_column_stands_beside_a_definition(
    path: str, line: str, context: str, touched: list[str]
) -> None:
    assert [symbol.name for symbol in changes(path, "", line, context).touched] == touched


@given(
    st.sampled_from(EXTENSIONS),
    st.lists(st.binary(max_size=80).map(lambda line: line.replace(b"\n", b"")), max_size=5),
)
def test_any_bytes_are_read(extension: str, lines: list[bytes]) -> None:
    found = changes(f"a.{extension}", b"", b"\n".join(lines))
    assert all(symbol.name for symbol in found.added)
