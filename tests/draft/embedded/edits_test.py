"""What a draft says of one edit of one file, in many languages and formats: the rows of `edits.jsonl`."""

import json
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from smartcommit.change.facts import ChangeFacts
from smartcommit.change.history import History, read_past_commit
from smartcommit.config import Settings
from smartcommit.draft.embedded import drafter
from smartcommit.draft.embedded.phrases import SAYINGS
from smartcommit.draft.embedded.sayings import say_edits
from smartcommit.draft.embedded.view import ChangeView
from smartcommit.git.diff import FileChange, FileDiff, Hunk
from tests.support.table import rows

ROWS = [json.loads(line) for line in Path(__file__).with_suffix(".jsonl").with_stem("edits").read_text().splitlines()]
HISTORY = History([read_past_commit(b"feat: add n", [b"data/n"]), read_past_commit(b"fix: correct n", [b"data/n"])] * 6)


def make_diff(path: str, before: str, after: str) -> FileDiff:
    """The change as git would print it, with all lines around each hunk."""
    old, new = before.encode().splitlines(), after.encode().splitlines()
    hunks = []
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            places = a + (b > a), b - a, c + (d > c), d - c
            context = next((line for line in reversed(old[:a]) if line[:1].isalpha()), b"")
            hunks.append(Hunk(*places, context, old[a:b], new[c:d], new[:c], new[d:]))
    return FileDiff(FileChange("M", path.encode(), None, "100644", "100644", "1" * 40, "2" * 40), hunks)


@rows("row", *ROWS)
def test_an_edit_is_said(row: dict[str, Any]) -> None:
    diff = make_diff(row["path"], row["before"], row["after"])
    made = drafter.draft(ChangeFacts([diff]), HISTORY, Settings(environment={}))
    weak = row.get("weak", False)
    assert (made.text.splitlines()[0], made.weak, made.open) == (row["header"], weak, row.get("open", weak))


def test_every_saying_has_names_for_all_that_it_repeats() -> None:
    for role, saying in SAYINGS.items():
        assert "{new}" not in saying.went, role
        assert "{old}" not in saying.came, role


@rows(
    ("path", "before", "after"),
    # A value that may be a secret.
    ("a.py", "api_key = 'Zx81kd02mmQ1'", "api_key = 'Zx81kd02mmQ2'"),
    (".env", "PORT=1", "PORT=2"),
    ("a.py", "connect(host)", "connect(host, password='hunter2')"),
    ("a.py", "get('https://a.io/x?key=hunter')", "get('https://a.io/x?key=chaser')"),
    ("a.py", "run('curl -u bob:hunter22 x')", "run('curl -u bob:hunter33 x')"),
    ("a.py", "x = a + 'z hunter22 z'", "x = a + 'z hunter33 z'"),
    ("a.py", "x = a + 'z key=hunter z'", "x = a + 'z key=chaser z'"),
    ("a.py", "x = a + 'hunter@host z'", "x = a + 'chaser@host z'"),
    ("a.go", 'db.Open("bob:hunter@tcp(h)/db")', 'db.Open("bob:chaser@tcp(h)/db")'),
    ("a.py", "login('bob', 'hunter22')", "login('bob', 'hunter33')"),
    ("a.sh", "mysql -phunter22 db", "mysql -phunter33 db"),
    ("a.php", "$x = ['password' => 'hunter'];", "$x = ['password' => 'chaser'];"),
    ("a.yml", "login: hunter22", "login: hunter33"),
    ("a.py", "login('bob', 'hunter')", "login('bob', 'chaser')"),
    ("a.py", "set_pin(1234)", "set_pin(9876)"),
    ("a.yml", "secrets:\n  db: hunter\n", "secrets:\n  db: chaser\n"),
    ("a.yml", "secrets:\n  db:\n    value: hunter\n", "secrets:\n  db:\n    value: chaser\n"),
    ("a.toml", '[secrets]\ndb = "hunter"\n', '[secrets]\ndb = "chaser"\n'),
    # What is another thing altogether.
    ("a.py", "x = 1", "def y(): pass"),
    ("CMakeLists.txt", "set(CMAKE_CXX_STANDARD 14)", "set(CMAKE_CXX_STANDARD 17)"),
    # What moves.
    ("a.yml", "a:\n  b: 1\n  c: 2\nd:\n  e: 3\n", "a:\n  c: 2\nd:\n  b: 1\n  e: 3\n"),
    (
        "a.ts",
        "import a\n\nfunction role(x) {\n  return x === 'HOST' ? 'Host' : 'User';\n}\n\n"
        "export const Member = () => {\n  const list = [];\n\n  return role(list[0]);\n};\n",
        "import a\n\nexport const Member = () => {\n  const list = [];\n\n  const role = (x) => {\n"
        "    return x === 'HOST' ? t('host') : t('user');\n  };\n\n  return role(list[0]);\n};\n",
    ),
    (
        "server/memo.go",
        'func find(c Context) {\n\trow := "NO"\n\tif hidden {\n\t\trow = "HIDDEN"\n\t}\n\tfound.Row = &row\n}\n',
        'func find(c Context) {\n\trow := c.Param("row")\n\tif row != "" {\n\t\tfound.Row = &row\n\t}\n}\n',
    ),
    ("a.scm", '[\n  "_"\n  (line)\n] @a\n', '"_" @b\n\n[\n  (line)\n] @a\n'),
    # Another function of a name that there is, with its annotations.
    (
        "A.java",
        "class A {\n  void find(File file) {\n    run(file);\n  }\n}\n",
        "class A {\n  void find(File file) {\n    run(file);\n  }\n\n"
        "  @Override\n  void find(Folder folder) {\n    run(folder.x);\n  }\n}\n",
    ),
    # What every call of Go is followed by, and a comment that ends in a link.
    ("a.go", "func a() error {\n\tb()\n}\n", "func a() error {\n\tif err != nil {\n\t\treturn err\n\t}\n\tb()\n}\n"),
    ("a.py", "x()\n", "# Add newline to prevent https://example.org/1\nyield 1\nx()\n"),
    (
        "a.py",
        "def read(name, limit=1):\n    return name\n",
        "def read(\n    name,\n    limit=1,\n):\n    return name\n\n\ndef read(\n    name,\n):\n    return name\n",
    ),
    # Versions, prose, and what programs write.
    ("pom.properties", "libVersion = 3.1.0", "libVersion = 3.2.0"),
    ("a.md", "It was good.", "It was fine."),
    ("poetry.lock", 'content = "a"', 'content = "b"'),
    ("src/page.approved.json", '  "content-length": 841', '  "content-length": 842'),
)
def test_nothing_is_said_that_may_be_untrue_or_secret(path: str, before: str, after: str) -> None:
    assert not [made.text for made in say_edits(ChangeView(ChangeFacts([make_diff(path, before, after)])))]


def test_what_has_a_key_of_its_own_is_no_value() -> None:
    before = "- id: x\n  env:\n    NAME: me.too\n  run: a\n"
    after = "- uses: org/login@v1\n  with:\n    user: me.too\n  if: b\n"
    said = [made.text for made in say_edits(ChangeView(ChangeFacts([make_diff("a.yml", before, after)])))]
    assert not [text for text in said if "user:" in text]


def test_what_is_replaced_in_all_files_is_about_all_of_them() -> None:
    source = make_diff("src/paths.py", "from appdirs import AppDirs\n", "from platformdirs import AppDirs\n")
    needs = make_diff("pyproject.toml", '[project]\nneeds = ["appdirs"]\n', '[project]\nneeds = ["platformdirs >=4"]\n')
    made = drafter.draft(ChangeFacts([source, needs]), HISTORY, Settings(environment={}))
    said = "replace appdirs with platformdirs in paths.py and pyproject.toml"
    assert (made.header and made.header.summary, made.weak) == (said, False)


TEXTS = [
    (
        f"locales/{name}/a.ts",
        "export default {\n  a: 'b',\n};\n",
        f"export default {{\n  a: 'b',\n  tip: '{name}',\n}};\n",
    )
    for name in ("ar", "de", "pt-br")
]
INSIDE = ("import os\nimport sys\n\ndef a():\n    b(os)\n", "import sys\n\ndef a():\n    import os\n    b(os)\n")
LISTED = ('{\n  "words": [\n    "abort"\n  ]\n}\n', '{\n  "words": [\n    "abort",\n    "automerge"\n  ]\n}\n')
CALLS = "function a() {\n  start();\n  onUnmount(1);\n}\n"


@rows(
    ("changes", "expected"),
    # What moved from file to file, also to one in which it is no edit.
    (
        [
            ("words/libs.txt", "foss\nfourcube\ngitea\n", "foss\ngitea\n"),
            ("words/people.txt", "dong\nknut\n", "dong\nfourcube\nknut\n"),
        ],
        "move fourcube to people.txt",
    ),
    (
        [
            ("a.yml", "hosts:\n  - alpha-1\n  - beta-1\n", "hosts:\n  - alpha-1\n"),
            ("b.yml", "nodes:\n  - gamma-1\n", "nodes:\n  - gamma-1\n  - beta-1\n"),
        ],
        "move beta-1 to nodes",
    ),
    # Whatever ends its line.
    (
        [
            ("a.ts", "interface A {\n  a: string;\n  b: Date;\n}\n", "interface A {\n  a: string;\n}\n"),
            ("b.ts", "interface B {\n  c: string,\n}\n", "interface B {\n  c: string,\n  b: Date,\n}\n"),
        ],
        "move b to B",
    ),
    # Translations and lists of words follow from what else changed, and are the subject if nothing did.
    (
        [("src/scope.py", "class Scope:\n    a = 'a'\n", "class Scope:\n    a = 'a'\n    tip = 'tip'\n"), *TEXTS],
        "add tip to Scope",
    ),
    (TEXTS, "add tip to 3 locales"),
    (
        [(f"rules/no-{name}.md", "# A\n\nx\n", "# A\n\nx\n\n## More\n\nx\n") for name in ("if", "or", "in")],
        "add More section to no-if.md, no-or.md and no-in.md",
    ),
    (
        [("src/hosts.go", "func a() {\n\tb(1)\n}\n", "func a() {\n\tb(1, retry)\n}\n"), (".cspell.json", *LISTED)],
        "pass retry to b",
    ),
    ([(".cspell.json", *LISTED)], "add automerge to words"),
    # Behind an import that moved comes more.
    ([("a.py", *INSIDE)], "move the import of os into a"),
    ([("a.py", *INSIDE), ("b.py", "run(x)\n", "run(x, retry=3)\n")], "pass retry=3 to run"),
    (
        [("a.js", "f(a,b)\n", "f( a, b )\n"), ("b.js", "// x\n", "// z\n")],
        "update comments and whitespace in a.js and b.js",
    ),
    # A word of prose that is another one all over, and one that may be secret.
    (
        [
            ("docs/a.md", "# A\n\nIt is in ALPHA today.\n", "# A\n\nIt is in BETA now.\n"),
            ("docs/b.md", "# B\n\n- Try the alpha release\n", "# B\n\n- Try the beta release\n"),
        ],
        "replace alpha with beta in a.md and b.md",
    ),
    (
        [
            ("docs/a.md", "# A\n\nThe password is hunter.\n", "# A\n\nThe password is chaser.\n"),
            ("docs/b.md", "# B\n\nIts password is hunter\n", "# B\n\nIts password is chaser\n"),
        ],
        "update a.md and b.md",
    ),
    # What is called elsewhere, as before.
    (
        [("a.ts", CALLS, CALLS.replace("  onUnmount(1);\n", "")), ("b.ts", CALLS, CALLS.replace("start", "begin"))],
        "use begin instead of start in a",
    ),
    # A word of an item that other lines have is not about that.
    (
        [
            ("a.yml", "labels:\n  - v3-alpha\n  - bug\n", "labels:\n  - bug\n"),
            ("b.yml", "a: 'in (v3-alpha)'\nb: 'of v3-alpha'\n", "a: 'in it (v3, beta)'\nb: 'of v3, beta'\n"),
        ],
        "set b to 'of v3, beta' in b.yml",
    ),
    # Several values of one new key, and an empty one.
    (
        [
            ("a.ts", "x({\n  b: 1,\n});\n", "x({\n  b: 1,\n  resize: false,\n});\n"),
            ("b.ts", "y({\n  c: 1,\n});\n", "y({\n  c: 1,\n  resize: true,\n});\n"),
        ],
        "add resize to a.ts and b.ts",
    ),
)
def test_edits_of_several_files_are_said_together(changes: list[tuple[str, str, str]], expected: str) -> None:
    made = drafter.draft(ChangeFacts([make_diff(*change) for change in changes]), HISTORY, Settings(environment={}))
    assert made.header is not None
    assert made.header.summary == expected
