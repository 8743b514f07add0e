"""What a draft says that the files of a change have in common, and of documents."""

from collections.abc import Callable, Iterator

from smartcommit.change.facts import ChangeFacts
from smartcommit.draft.embedded import documents, own_words, sayings, shared, whole_files
from smartcommit.draft.embedded.judge import list_statements
from smartcommit.draft.embedded.view import ChangeView, Purpose, Statement
from smartcommit.git.diff import FileDiff, Hunk
from tests.support.changes import make_diff, make_hunk
from tests.support.table import rows

SOURCE = make_diff("src/hosts.py", make_hunk(["reject(hosts, empty)"], ["keep(hosts)"]))
REWORDED = [make_hunk([f"{name} of Rolldown runs"], [f"{name} of Rollup runs"]) for name in ("A", "An", "All")]

MANY = [f"{name}_rows: int" for name in "abcdefgh"]
GONE = Hunk(1, 1, 1, 0, b"", [b"from lib import old_thing"], [], [b"from lib import parse_header"])


def say(view: ChangeView, source: Callable[[ChangeView], Iterator[Statement]]) -> list[tuple[str, float]]:
    return [(statement.text, round(statement.share, 2)) for statement in source(view)]


def say_last_edit(view: ChangeView) -> Iterator[Statement]:
    yield list(sayings.say_edits(view))[-1]


@rows(
    ("source", "diffs", "expected"),
    (own_words.say_reasons, [make_diff("a.py", make_hunk(["# Only keep hosts of it (see x).", "keep(hosts)"]))],
     [("only keep hosts of it", 1.0)]),
    (own_words.say_reasons, [make_diff("a.py", make_hunk(["# Checks and keeps that id 0 (of x) is free", "x(1)"]))],
     [("check and keep that id 0 is free", 1.0)]),
    # What fails is tried as well, or done otherwise; and a comment in other words is not new.
    (own_words.say_reasons, [make_diff("a.go", make_hunk(["err := x(1)", 'errors.New("host must have a name")']))],
     []),
    (own_words.say_reasons, [make_diff("a.py", make_hunk(['raise E("host must have a name")'], ["keep(hosts)"]))],
     []),
    (own_words.say_reasons, [make_diff("a.py", make_hunk(["# Keep all of the hosts"], ["# Drop hosts of a kind"]))],
     []),
    (own_words.say_reasons, [make_diff("a.sh", make_hunk(["# Keep only what is after the last ': '", "cut"]))], []),
    # A section in place of another may be the same; a comment of a program is none, wherever it is.
    (documents.say_sections, [make_diff("docs/a.md", make_hunk(["## Hosts", "Some."], ["## Servers"]))], []),
    (documents.say_sections, [make_diff("docs/a.md", make_hunk(["    # Hosts of x", "    a: 1"]))], []),
    (documents.say_sections, [make_diff("CHANGES.md", make_hunk(["## [1.2.0] - 2026", "", "### Added", "- A b c"]))],
     [("add changelog for 1.2.0", 1.0)]),
    (documents.say_sections, [make_diff("whats-new.md", make_hunk(["## Kotlin 1.8.0", "We use it."]))],
     [("add Kotlin 1.8.0 section to whats-new.md", 1.0)]),
    (documents.say_sections, [make_diff("CHANGES.md", make_hunk(["### Added", "- A b c"]))], []),
    (documents.say_sections, [make_diff("docs/conf.py", make_hunk(["# Hosts", "a = 1"]))], []),
    # What a new file has from another, and what is only in the name of a snapshot, is not new.
    (whole_files.say_subject,
     [make_diff("api/hosts.py", make_hunk(["def list_hosts():", "    return []"]), status="A"),
      make_diff("www/hosts.py", make_hunk([], ["def list_hosts():", "    return []"]))], []),
    # What most files have in common.
    (shared.say_shared, [make_diff("src/a.py", make_hunk(["keep_hosts: bool"])),
                         make_diff("src/b.py", make_hunk(['"keep_hosts": False,']))],
     [("add keep_hosts to a.py and b.py", 1.0)]),
    (shared.say_shared, [make_diff(f"src/{name}.py", make_hunk(["keep_hosts: bool"])) for name in "abcd"],
     [("add keep_hosts", 1.0)]),
    (shared.say_shared, [make_diff("src/a.py", make_hunk(["x(keep_hosts(1))"], ["x(1)"])),
                         make_diff("src/b.py", make_hunk(["y(keep_hosts(1))"], ["y(1)"])),
                         make_diff("src/c.py", make_hunk(["z(2)"], ["z(1)"]))], []),
    (shared.say_shared, [make_diff("src/a.py", make_hunk(["x(keep_hosts(1))"], ["x(1)"])),
                         make_diff("src/b.py", make_hunk(["y(keep_hosts(1))"], ["y(1)"]))],
     [("use keep_hosts in a.py and b.py", 1.0)]),
    (shared.say_shared, [make_diff("src/a.py", make_hunk([], ["def keep_hosts():", "    return 1"])),
                         make_diff("src/b.py", make_hunk(["y(1)"], ["y(keep_hosts(1))"]))],
     [("remove keep_hosts", 1.0)]),
    (shared.say_shared, [make_diff("src/a.py", make_hunk(["x(1)"], ["x(keep_hosts(1))"])),
                         make_diff("src/b.py", make_hunk(["y(1)"], ["y(keep_hosts(1))"]))], []),
    (shared.say_shared, [make_diff("src/a.py", make_hunk(["GitHosts"], ["Githosts"])),
                         make_diff("src/b.py", make_hunk(["GitHosts"], ["Githosts"]))], []),
    # What is still used, a folder that something was imported from, and what is used now.
    (shared.say_shared, [make_diff(f"src/{name}.ts", make_hunk([], ["import Links from '@/Other/Links'", "Links(1)"]))
                         for name in "ab"], [("stop using Links in a.ts and b.ts", 1.0)]),
    (shared.say_shared, [make_diff("src/a.ts", make_hunk([], ["import { Each } from '@/parts/Each'"])),
                         make_diff("src/b.ts", make_hunk([], ["import { Each } from '@/parts/Each'"])),
                         make_diff("src/c.ts", make_hunk(["x(Each, 2)"], ["x(Each, 1)"]))], []),
    (shared.say_shared, [make_diff(f"app/{name}.py", make_hunk([], [f"from app.Controls import {name * 3}"]))
                         for name in "ab"], []),
    (shared.say_shared, [make_diff(f"src/{name}.vue", make_hunk(
        ["import Fields from '@/Fields.vue'", '<Fields :rows="rows" />'],
        ["import Link from '@/Link.vue'", '<Link :name="fields[0]" />'])) for name in "abcd"],
     [("use Fields in 4 files in src", 1.0)]),
    (shared.say_shared, [make_diff("src/a.go", make_hunk(
        ["func (m *M) KeepLoginRow(f *Flow) error {", "\treturn f.Log(m)", "}"],
        ["func (m *M) HandleLoginRow(f *Flow, c string) (*Row, error) {", "\treturn f.Log(m)", "}"])),
                         make_diff("src/b.go", make_hunk(["\tif err := m.KeepLoginRow(f); err != nil {"],
                                                         ["\trow, err := m.HandleLoginRow(f, c)", "\tif err {"]))], []),
    (shared.say_shared, [*[make_diff(f"src/{name}.ts", make_hunk(["list(keep_hosts(1))"])) for name in "abcd"],
                         make_diff("src/a.test.ts", make_hunk(["expect(keep_hosts(1))"]))],
     [("use keep_hosts", 1.0)]),
    (shared.say_shared, [make_diff(f"src/{name}.py", make_hunk(
        ["from app.shown import Table", "Table(a)"], ["from app.old import Lines", "Lines(a)"])) for name in "ab"],
     [("use Table in a.py and b.py", 1.0)]),
    # Translations have a key in common, and follow from what shows it.
    (shared.say_translations, [make_diff(f"locales/{name}/a.ts", make_hunk([f"    tip: 'T {name}',"]))
                               for name in ("ar", "pt-br", "fa_IR")], [("add tip to 3 locales", 1.0)]),
    (shared.say_translations, [make_diff(f"i18n/{name}.json", make_hunk([f'  "tip": "T {name}",']))
                               for name in ("de", "fr", "zh_CN", "en")], [("add tip to 4 locales", 1.0)]),
    (shared.say_translations, [make_diff(f"src/{name}/a.ts", make_hunk(["    tip: 'T',"]))
                               for name in ("api", "lib", "app")], []),
    # A line that came all over, and one beside as many others.
    (shared.say_lines, [make_diff(f"docs/{name}.rst", make_hunk([":language: python"] * 2)) for name in "abcd"],
     [("add ':language: python' to 4 files in docs", 1.0)]),
    (shared.say_lines, [make_diff(f"src/{name}.js", make_hunk(["'use strict';"])) for name in "abcd"],
     [("add \"'use strict';\" to 4 files in src", 1.0)]),
    (shared.say_lines, [make_diff(f"src/{name}.js", make_hunk([], ["""go('a', "b");"""])) for name in "abcd"],
     [("remove `go('a', \"b\");` from 4 files in src", 1.0)]),
    (shared.say_lines, [make_diff(f"docs/{name}.rst", make_hunk([":language: python", name * 3])) for name in "abcd"],
     []),
    # One of many names.
    (shared.say_shared, [make_diff("src/a.py", make_hunk(["keep_hosts: bool", *MANY])),
                         make_diff("src/b.py", make_hunk(['"keep_hosts": False,']))],
     [("add keep_hosts to a.py and b.py", 1.0)]),
    # A file without lines, and a name that is any word, one of many that are new, or too long.
    (shared.say_shared, [make_diff("src/a.py", make_hunk(["keep_hosts: bool"])), make_diff("src/c.py"),
                         make_diff("src/b.py", make_hunk(['"keep_hosts": False,']))],
     [("add keep_hosts to a.py and b.py", 1.0)]),
    (shared.say_shared, [make_diff("src/a.py", make_hunk(["def hosts():", "    return 1"])),
                         make_diff("src/b.py", make_hunk(["y(hosts())"]))], []),
    (shared.say_shared, [make_diff(f"src/{name}.py", make_hunk([f"{name}(Hosts(1))"])) for name in "ab"], []),
    (shared.say_shared, [make_diff(f"src/{name}.py", make_hunk([f"{name}({'keep_' * 9}hosts)"])) for name in "ab"], []),
    (shared.say_shared, [make_diff("src/a.py", make_hunk([f"def keep_{name}s(): pass" for name in "abcdef"])),
                         make_diff("src/b.py", make_hunk(["y(keep_as)"]))], []),
    # What all of them import no more, although its name is a single word.
    (shared.say_shared, [make_diff("src/a.js", make_hunk([], ["import each from 'lodash/each'"])),
                         make_diff("src/b.js", make_hunk([], ["import map from 'lodash/map'"]))],
     [("stop using lodash in a.js and b.js", 1.0)]),
    # What stays around it is not gone, whatever the order of the names.
    (shared.say_shared, [make_diff(f"src/{name}.py", GONE) for name in "abcd"],
     [("stop using old_thing in 4 files in src", 0.75)]),
    (shared.say_shared, [make_diff(f"src/{name}.py", make_hunk(["from __future__ import annotations"]))
                         for name in "abcd"], [("import annotations in 4 files in src", 0.75)]),
    # An import is for what else changed.
    (shared.say_shared, [make_diff(f"src/{name}.ts", make_hunk([f"import {name} from '@/hosts_v2'", f"{name}(1)"]))
                         for name in "ab"], []),
    # A section that moved is not new, and what follows its heading is its own.
    (documents.say_sections, [make_diff("docs/a.md", make_hunk(["## Hosts", "text"]), make_hunk(["more"]),
                                        make_hunk(["## Names"], ["## Zones", "## Names"]))],
     [("add Hosts section to a.md", 0.5)]),
    (documents.say_sections,
     [make_diff("docs/b.md", make_hunk(["# B"]), status="A"), make_diff("docs/a.md", make_hunk(["## Hosts", "text"]))],
     [("add Hosts section to a.md", 0.67)]),
    (documents.say_sections, [make_diff("docs/a.md", make_hunk(["## [Hosts](https://x.org/a)", "text"]))],
     [("add Hosts section to a.md", 1.0)]),
    # The sections of a changelog may be in tags, and a comment in code is none.
    (documents.say_sections, [make_diff("changelog.mdx", make_hunk(["<Update>", "  ## v1.2.0", "  text"]))],
     [("add changelog for v1.2.0", 0.67)]),
    (documents.say_sections, [make_diff("docs/a.md", make_hunk(["# Or for hosts:", "read hosts"]))], []),
    (documents.say_sections, [SOURCE, make_diff("docs/a.md", make_hunk(["## Hosts", "text"]))], []),
    (say_last_edit, [make_diff("docs/a.md", *REWORDED)], [("replace Rollup with Rolldown in a.md", 1.0)]),
    # What takes the place of several names is used.
    (say_last_edit, [make_diff("a.rs", make_hunk(["x(Self::A)"], ["x(One::A)"]),
                               make_hunk(["y(Self::B)"], ["y(Two::B)"]))], [("use Self in a.rs", 1.0)]),
    # What is called of a module is replaced, and not the module.
    (say_last_edit, [make_diff(f"{name}.go", make_hunk([f"{name} := opts.Stable.Marshal(a)"],
                                                       [f"{name} := proto.Marshal(a)"])) for name in "xy"],
     [("replace proto.Marshal with opts.Stable.Marshal in x.go and y.go", 1.0)]),
    # Of many edits of one kind, none is told.
    (say_last_edit, [make_diff("a.py", *[make_hunk([], [f"import {name}"]) for name in "abcd"])],
     [("remove unused imports in a.py", 1.0)]),
)  # fmt: skip
def test_files_have_a_name_in_common(
    source: Callable[[ChangeView], Iterator[Statement]], diffs: list[FileDiff], expected: list[tuple[str, float]]
) -> None:
    assert say(ChangeView(ChangeFacts(diffs)), source) == expected


ELSEWHERE = frozenset({"keep_hosts", "drop_hosts"})


@rows(
    ("diff", "expected"),
    (make_diff("docs/a.md", make_hunk(["Call `keep_hosts`."])), [("document keep_hosts", 1.0)]),
    (make_diff("docs/a.md", make_hunk(["Call `keep_hosts`."]), status="A"), []),
    (make_diff("tests/test_a.py", make_hunk(["assert keep_hosts(1)"])), [("add tests for keep_hosts", 1.0)]),
    (make_diff("tests/test_a.py", make_hunk(["assert keep_hosts(1)"], ["assert keep(1)"])),
     [("use keep_hosts in test_a.py", 1.0)]),
    (make_diff("src/a.py", make_hunk(["keep_hosts(1)"]), make_hunk(["x(1)"])), [("use keep_hosts in a.py", 0.5)]),
    (make_diff("src/a.py", make_hunk(["keep_hosts(2)"], ["keep_hosts(1)"])), []),
)  # fmt: skip
def test_a_part_of_a_plan_tells_of_what_another_part_defines(diff: FileDiff, expected: list[tuple[str, float]]) -> None:
    view = ChangeView(ChangeFacts([diff]), purpose=Purpose(is_partial=True, elsewhere=ELSEWHERE))
    assert say(view, shared.say_elsewhere) == expected


@rows(
    ("diffs", "said"),
    # Of more files than are read, the number is not known; and what looks like a token is no name.
    ([make_diff(f"src/{number}.py", make_hunk(["import annotations"])) for number in range(70)],
     "import annotations"),
    ([make_diff("a.md", make_hunk([f"## ghp_{'Zx81' * 9}", "Some text."]))], "update a.md"),
)  # fmt: skip
def test_statements_are_true_of_the_whole_change(diffs: list[FileDiff], said: str) -> None:
    statements = list_statements(ChangeView(ChangeFacts(diffs)))
    assert max(statements, key=lambda statement: statement.share * statement.kind.prior).text == said


def test_lines_about_a_name_are_those_around_it_each_once() -> None:
    lines = ["@cached", "def keep_hosts():", "    keep_hosts_of(x)", "    return 1", "", "y(keep)", "z(drop)"]
    view = ChangeView(ChangeFacts([make_diff("a.py", make_hunk(lines), make_hunk(["    x(2)"]))]))
    assert [view.count_about(names, "added") for names in ({"keep_hosts"}, {"keep_hosts", "keep"}, {"hosts_of"})] == [
        4, 5, 1,
    ]  # fmt: skip
