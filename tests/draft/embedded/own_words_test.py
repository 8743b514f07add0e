"""What a change says of itself besides its changelog."""

from smartcommit.change.facts import ChangeFacts
from smartcommit.draft.embedded.own_words import Title, instruct, list_titles
from tests.support.changes import make_diff, make_hunk
from tests.support.table import rows


def titles(path: str, added: list[str], removed: list[str] | None = None) -> list[str]:
    found = list_titles(ChangeFacts([make_diff(path, make_hunk(added, removed or []))]).files)
    return [title.text for title in found]


@rows(
    ("path", "lines"),
    ("tests/test_a.py", ["async def test_rejects_empty_hosts(client):"]),
    ("a_test.go", ["func TestRejectsEmptyHosts(t *testing.T) {"]),
    ("a_test.go", ['t.Run("rejects empty hosts", func(t *testing.T) {']),
    ("a.test.ts", ["it.each([[1], [2]])('rejects empty hosts', () => {"]),
    ("src/a.rs", ["#[tokio::test]", "#[ignore]", "async fn rejects_empty_hosts() {"]),
    ("src/test/ATest.java", ["@Test", "void rejectsEmptyHosts() {"]),
    ("src/test/ATest.java", ['@DisplayName("rejects empty hosts")']),
    ("src/test/ATest.kt", ["@Test", "fun `rejects empty hosts`() {"]),
    ("tests/ATests.cs", ["[Fact]", "public async Task Rejects_empty_hosts()"]),
    ("tests/ATest.php", ["public function testRejectsEmptyHosts(): void"]),
    ("Tests/ATests.swift", ["func testRejectsEmptyHosts() throws {"]),
    ("tests/a_test.cc", ["TEST_F(Hosts, RejectsEmptyHosts) {"]),
    ("tests/a.cpp", ['TEST_CASE("rejects empty hosts", "[hosts]") {']),
    ("test/a_test.exs", ['test "rejects empty hosts" do']),
    ("spec/a_spec.rb", ["it 'rejects empty hosts' do"]),
    ("src/a.zig", ['test "rejects empty hosts" {']),
    ("test/a.bats", ['@test "rejects empty hosts" {']),
    ("t/a.t", ["subtest 'rejects empty hosts' => sub {"]),
    ("test/a.jl", ['@testset "rejects empty hosts" begin']),
    ("test/ATest.scala", ['"Hosts" should "rejects empty hosts" in {']),
    ("test/a.clj", ["(deftest rejects-empty-hosts"]),
)
def test_new_tests_are_read_in_many_frameworks(path: str, lines: list[str]) -> None:
    assert titles(path, lines) == ["rejects empty hosts"]


def test_a_test_that_was_there_is_not_new() -> None:
    lines = ["it('rejects empty hosts', () => {"]
    assert titles("a.test.ts", lines, lines) == []
    assert titles("src/a.rs", ["fn rejects_empty_hosts() {"]) == []


@rows(
    ("text", "written", "expected"),
    ("rejects empty hosts", False, "reject empty hosts"),
    ("threaded backend rewinds stream after reads", False, "rewind stream after reads"),
    ("parser does not follow links twice", False, "do not follow links twice"),
    ("The parser should reject hosts without a name", True, "reject hosts without a name"),
    ("resets and reuses the process", True, "reset and reuse the process"),
    ("bug #12: keeps names of hosts correctly", True, "keep names of hosts"),
    ("empty host emits no event", False, None),
    ("malformed host should reject the call", True, None),
    ("host drops its name early", False, None),
    ("wrapped lists of hosts", True, "wrap lists of hosts"),
    ("sorted names lists of hosts", False, "sort names lists of hosts"),
    ("cached rewriting keeps names of hosts", False, "keep names of hosts"),
    ("list attribute of hosts", True, None),
    ("not naming hosts keeps them", False, None),
    ("converting hosts panics early", False, None),
    ("does generate names of hosts", False, None),
    ("update schema rebuilds", False, None),
    ("never finds empty hosts", True, "never find empty hosts"),
    ("nobody finds empty hosts", True, None),
    ("returns true for named hosts", False, None),
    ("parser lazily reads names of hosts", False, None),
    ("parser reads empty hosts and closes sockets", False, None),
    ("checks the names of hosts", True, None),
    ("fixes names of hosts", True, None),
    ("reverted host has no names", False, None),
    ("fetches (stream) > $", True, None),
)
def test_a_title_is_an_instruction_if_that_is_true(text: str, written: bool, expected: str | None) -> None:
    assert instruct(Title(text, written)) == expected
