"""Where each hunk of a change belongs, and why."""

from collections.abc import Mapping, Sequence

import pytest

from smartcommit.git.hunks import read_units
from smartcommit.git.repo import Repository
from smartcommit.git.snapshot import take_snapshot
from smartcommit.rewrite.commits import find_unpushed_range
from smartcommit.rewrite.origins import read_origins
from smartcommit.rewrite.targets import find_targets
from tests.support.repository import Repo

# Contents by path, None for a file that is deleted.
Files = Mapping[str, str | bytes | None]
Found = list[tuple[int | None, str]]

EDIT = "it changes lines of this commit"
NEW_FILE = (None, "a new file")
NOTHING = (None, "nothing shows which commit it belongs to")
OLDER = (None, "it removes lines from before these commits")


def write_all(repo: Repo, files: Files) -> None:
    for path, content in files.items():
        if content is None:
            (repo.path / path).unlink()
        else:
            repo.write(path, content)


def place(repo: Repo, *versions: Files, titles: Sequence[str] = ()) -> Found:
    """Return the target and the reason of each hunk of the last version; the first one is from before the range."""
    subjects = ["chore: base", *titles, *(f"feat: step {number}" for number in range(9))]
    for subject, files in zip(subjects, versions[:-1], strict=False):
        write_all(repo, files)
        repo.git("add", "-A")
        repo.commit(subject)
        if subject == "chore: base":
            repo.git("update-ref", "refs/remotes/origin/main", "HEAD")
    write_all(repo, versions[-1])
    repository = Repository.find(str(repo.path))
    found = find_unpushed_range(repository).commits
    with take_snapshot(repository) as snapshot:
        units = read_units(snapshot.repository, snapshot.since, snapshot.target, cut=True)
        origins = read_origins(snapshot.repository, [commit.oid for commit in found])
        placements = find_targets(units, origins, [commit.title for commit in found])
    assert all((placement.target is None) == (placement.confidence == 0) for placement in placements)
    return [(placement.target, placement.reason) for placement in placements]


CLIENT = "import time\n\n\ndef connect(host, port):\n    return (host, port)\n"
RETRY = "\n\ndef retry(connection, attempts=3):\n    for attempt in range(attempts):\n        time.sleep(1)\n"
ENCODE = '\n\ndef encode(message):\n    text = message.strip()\n    return text.encode("ascii")\n'
RESOLVE = '\n\ndef resolve(name):\n    parts = name.split(".")\n    return parts[-1]\n'
ENCODING = CLIENT + RETRY + ENCODE
CLIENTS = [{"client.py": CLIENT}, {"client.py": CLIENT + RETRY}, {"client.py": ENCODING}]
TOTAL = "export function total(items) {\n  return items.reduce((sum, item) => sum + item.price, 0);\n}\n"
IS_EMPTY = "\nexport function isEmpty(items) {\n  return items.length === 0;\n}\n"
GRID = "void {}(Grid *grid)\n{{\n    lock(grid);\n\n    unlock(grid);\n}}\n"
GRIDS = GRID.format("clear") + "\n" + GRID.format("fill")
SERVER = "host = localhost\nport = 8008\nworkers = 2\n"
SERVERS = SERVER.replace("localhost", "0.0.0.0").replace("workers = 2", "workers = 8")
READER = "\n\ndef read_{0}(text):\n    return parse(text, {0!r})\n"
READERS = "READERS = {}\nREADERS['csv'] = readers.read_csv\nREADERS['xml'] = readers.read_xml\n"
SHOW = "import os\nimport sys\n\n\ndef show(rows):\n    print(rows)\n"
DUMP = "\n\ndef dump(rows):\n    return json.dumps(rows)\n"
LIST = "\nexport function list() {\n  return readdirSync(root);\n}\n"
COUNT = "\nexport function count() {\n  return readdirSync(root).length;\n}\n"
PAD = "def pad(text):\n    return text + ' '\n"
CUT = "\n\ndef cut(text):\n    pass\n"
TRACE = "def begin():\n    pass\n"
DEBUG = "\n\ndef debug_dump():\n    print(1)\n"
RUN = "import trace\n\n\ndef run():\n    start()\n"
CHANGES = "# Changes\n\n## 1.1.0\n\n- Count items\n"
LOAD = """\
def load(path):
    text = open(path).read()
    rows = text.split(';')
    names = sorted(rows)
    return names
"""
READ = "def read(path):\n    text = open(path).read()\n    rows = text.split(';')\n    return sorted(rows)\n\n\n"
PARTS = READ + "def load(path):\n    return read(path)\n"
START = "import b\n\n\ndef run():\n    b.start()\n"
ONE = "def one(value):\n    return value\n"
SCALE = "\n\ndef scale(value):\n    return value * 2\n"
CLAMP = "def clamp(value):\n    return max(value, 0)\n\n\n"
ZEROS = "pub fn zeros() {}\n"
ONES = "pub fn ones() {}\n"
RSA = '#[cfg(feature = "rsa")]\n'
# An attribute that a commit writes above one more function was there before.
BOTH = f"use std;\n\n{RSA}{ONES}\n{RSA}{ZEROS}"
# The versions of the files, and the target and the reason of each hunk of the last one.
CASES: dict[str, tuple[list[Files], Found]] = {
    # Lines that have one origin.
    "a plain edit": ([*CLIENTS, {"client.py": ENCODING.replace("sleep(1)", "sleep(2**attempt)")}], [(0, EDIT)]),
    "a line from before the range": (
        [
            {"a.js": TOTAL + IS_EMPTY},
            {"b.js": TOTAL},
            {
                "a.js": TOTAL + IS_EMPTY.replace("items.length ===", "items?.length ==="),
                "b.js": TOTAL.replace("0", "1"),
            },
        ],
        [NOTHING, (0, EDIT)],
    ),
    "CRLF": (
        [{"a": "{\r\n}\r\n"}, {"a": "{\r\n  one\r\n  two\r\n}\r\n"}, {"a": "{\r\n  ONE\r\n  two\r\n}\r\n"}],
        [(0, EDIT)],
    ),
    "no newline at the end": ([{"a": "0\n"}, {"a": "0\n1\n2 end"}, {"a": "0\n1\n2 footer"}], [(0, EDIT)]),
    "a newline added at the end": ([{"a": "0\n"}, {"a": "0\n1\n2"}, {"a": "0\n1\n2\n"}], [(0, EDIT)]),
    # Of two equal hunks, one removes a blank line that was there before the range (git-absorb 116).
    "blank lines removed": (
        [{"grid.c": GRID.format("clear")}, {"grid.c": GRIDS}, {"grid.c": GRIDS.replace(";\n\n", ";\n")}],
        [OLDER, (0, EDIT)],
    ),
    # The lines above and below were changed by a later commit (gitbutler 15973).
    "a line beside a later change": (
        [{"z": "0\n"}, {"a": SERVER}, {"a": SERVERS}, {"a": SERVERS.replace("8008", "8080")}],
        [(0, EDIT)],
    ),
    "a line changed and changed back": ([{"a": f"0\n{line}\n2\n"} for line in "1213"], [(1, EDIT)]),
    "an insertion between lines of a commit": (
        [{"a": "0\n"}, {"a": "0\n1\n2\n"}, {"b": "0\n"}, {"a": "0\n1\n1.5\n2\n"}],
        [(0, "it stands between lines of this commit")],
    ),
    # The change inserts again what a commit removed by mistake.
    "lines restored": (
        [
            {"cart.js": TOTAL + IS_EMPTY},
            {"cart.js": TOTAL.replace("price", "price * item.count")},
            {"cart.js": TOTAL.replace("price", "price * item.count") + IS_EMPTY},
        ],
        [(0, "it restores lines that this commit removed")],
    ),
    "a version that is corrected": (
        [{"a.toml": f'name = "a"\nversion = "{number}"\n'} for number in ("1.1.0", "1.2.0", "1.1.5")],
        [(0, EDIT)],
    ),
    # A line of a `fixup!` commit belongs to it or to the commit that it is for: see the titles below.
    "a fixup in the range": ([{"a": "0\n"}, {"a": "0\n1\n2\n"}, {"a": "0\n3\n2\n"}, {"a": "0\n4\n5\n"}], [(1, EDIT)]),
    # Lines with no origin, or with more than one.
    "lines of two commits": (
        [{"a": "0\n1\n"}, {"a": "2\n1\n"}, {"a": "2\n3\n"}, {"a": "4\n"}],
        [(None, "it changes lines of several commits")],
    ),
    "an insertion at a border": ([{"a": "0\n"}, {"a": "0\n1\n"}, {"a": "0\n1\n2\n"}, {"a": "0\n1\nx\n2\n"}], [NOTHING]),
    # What is inserted between two commits uses what one of them defines.
    "an insertion at a border that uses one": (
        [
            {"z.py": "from parsing import parse\n", "main.py": "READERS = {}\n"},
            {"readers.py": READER.format("csv"), "main.py": READERS.partition("READERS['xml']")[0]},
            {"readers.py": READER.format("csv") + READER.format("xml"), "main.py": READERS},
            {"main.py": READERS.replace("csv\n", "csv\nREADERS['rss'] = readers.read_xml\n")},
        ],
        [(1, "it uses 'read_xml', which this commit brought in")],
    ),
    "a new function that nothing uses": ([*CLIENTS, {"client.py": ENCODING + RESOLVE}], [NOTHING]),
    # A removed line from before the range is not given to its neighbor (git-absorb 15).
    "a line beside a commit": (
        [
            {"a.rs": "#![allow(dead_code)]\n" + ZEROS},
            {"a.rs": f"#![allow(dead_code)]\n{ONES}\n{ZEROS}"},
            {"a.rs": f"{ONES}\n{ZEROS}"},
        ],
        [OLDER],
    ),
    # One of the attributes came with the new function, the other was there before.
    "equal lines removed": (
        [{"a.rs": f"use std;\n\n{RSA}{ZEROS}"}, {"a.rs": BOTH}, {"a.rs": BOTH.replace(RSA, "")}],
        [(0, EDIT), OLDER],
    ),
    # The next release is no correction of the one before, although it changes and borders its lines.
    "a version raised again": (
        [
            {"package.json": '{\n  "version": "1.1.0"\n}\n', "CHANGES.md": CHANGES},
            {
                "package.json": '{\n  "version": "1.2.0"\n}\n',
                "CHANGES.md": CHANGES.replace("## ", "## 1.2.0\n\n- Tax\n\n## "),
            },
            {"b": "0\n"},
            {
                "package.json": '{\n  "version": "1.3.0"\n}\n',
                "CHANGES.md": CHANGES.replace("## ", "## 1.3.0\n\n- Shipping\n\n## 1.2.0\n\n- Tax\n\n## "),
            },
        ],
        [NOTHING, (None, "it raises a version that the commit has raised already")],
    ),
    "lines that move within a commit": (
        [{"b": "0\n"}, {"load.py": LOAD}, {"b": "1\n"}, {"load.py": PARTS}],
        [(0, EDIT)] * 2,
    ),
    "lines that move to another file": (
        [
            {"b.py": "import os\n\nX = 1\n"},
            {"load.py": LOAD},
            {"b.py": "import os\n" + LOAD + "X = 1\n", "load.py": "def load(path):\n    return path\n"},
        ],
        [(None, "it moves lines")] * 2,
    ),
    # Names that one hunk defines and another uses.
    # A commit uses a module that the change imports, among imports that are older (git-absorb 76).
    "a forgotten import": (
        [{"a.py": SHOW}, {"a.py": SHOW + DUMP}, {"b": "0\n"}, {"a.py": "import json\n" + SHOW + DUMP}],
        [(0, "it imports 'json', which this commit uses")],
    ),
    # The change adds an import together with its use (git-absorb 56).
    "an import beside its use": (
        [*CLIENTS, {"client.py": "import random\n" + ENCODING.replace("sleep(1)", "sleep(random.random())")}],
        [(0, "a hunk of this commit uses what it adds"), (0, EDIT)],
    ),
    # An import goes to the first commit that uses it, else that one would not run.
    "an import used by two commits": (
        [
            {"paths.ts": "export const root = 1;\n"},
            {"paths.ts": "export const root = 1;\n" + LIST},
            {"paths.ts": "export const root = 1;\n" + LIST + COUNT},
            {"paths.ts": "import { readdirSync } from 'fs';\nexport const root = 1;\n" + LIST + COUNT},
        ],
        [(0, "it imports 'readdirSync', which this commit uses")],
    ),
    # The definition and its use are of two commits, in this order.
    "a symbol renamed": (
        [
            {"z": "0\n"},
            {"orders.py": "def fetch(shop):\n    return shop.orders\n"},
            {"main.py": "import orders\n\n\ndef run(shop):\n    print(orders.fetch(shop))\n"},
            {
                "orders.py": "def fetch_orders(shop):\n    return shop.orders\n",
                "main.py": "import orders\n\n\ndef run(shop):\n    print(orders.fetch_orders(shop))\n",
            },
        ],
        [(1, EDIT), (0, EDIT)],
    ),
    "a name of a later commit": (
        [
            {"a.py": "import b\n"},
            {"a.py": START},
            {"b.py": "def restart():\n    pass\n"},
            {"a.py": START.replace("start()", "restart()")},
        ],
        [(None, "it uses 'restart', which a later commit adds")],
    ),
    # The edit of an older commit uses what the edit of a later one defines.
    "a name that the change of a later commit adds": (
        [
            {"z": "0\n"},
            {"draw.go": "package draw\n\nfunc Line() int {\n\treturn 1\n}\n"},
            {"width.go": "package draw\n\nconst thin = 1\n"},
            {
                "draw.go": "package draw\n\nfunc Line() int {\n\treturn hairline\n}\n",
                "width.go": "package draw\n\nconst hairline = 1\n",
            },
        ],
        [(None, "it uses what 'width.go::1' adds, which is not there then"), (1, EDIT)],
    ),
    # A new file belongs to no commit, nor does the edit that needs it.
    "a name in a new file": (
        [
            *CLIENTS,
            {
                "charset.py": "def pick_charset(text):\n    return 'utf-8'\n",
                "client.py": ENCODING.replace('"ascii"', "charset.pick_charset(text)"),
            },
        ],
        [NEW_FILE, (None, "it uses what 'charset.py::1' adds, which is not there then")],
    ),
    "what another hunk uses": (
        [
            {"a.py": ONE},
            {"a.py": ONE + SCALE},
            {"b.py": "pass\n"},
            {"a.py": CLAMP + ONE + SCALE.replace("value * 2", "clamp(value * 2)")},
        ],
        [(0, "a hunk of this commit uses what it adds"), (0, EDIT)],
    ),
    "a name that is older": (
        [
            {"a.rs": f"use std;\n\n{RSA}{ZEROS}"},
            {"a.rs": BOTH},
            {"b.rs": "use std;\n"},
            {"a.rs": BOTH.replace("pub fn zeros", "#[cfg(feature)]\npub fn zeros")},
        ],
        [NOTHING],
    ),
    # The call is removed with a line of another commit.
    "a definition removed whose call stays": (
        [
            {"main.py": RUN},
            {"trace.py": TRACE + DEBUG},
            {"main.py": RUN + "    trace.debug_dump()\n"},
            {"main.py": RUN + "    trace.debug_dump()\n    stop()\n"},
            {"main.py": RUN, "trace.py": TRACE},
        ],
        [
            (None, "it changes lines of several commits"),
            (None, "it removes what 'main.py::1' still uses then"),
        ],
    ),
    # A helper is unused now, but a commit in between calls it: there it must not be missing.
    "a removed name used in between": (
        [
            {"z": "0\n"},
            {"help.py": PAD + CUT},
            {"title.py": "import help\n\n\ndef title(text):\n    return help.cut(text)\n"},
            {"title.py": "import help\n\n\ndef title(text):\n    return help.pad(text)\n"},
            {"help.py": PAD},
        ],
        [(None, "it removes 'cut', which a later commit still uses")],
    ),
    "more than an edit of lines": (
        [
            {"z": "0\n"},
            {"client.py": CLIENT, "logo.bin": b"\0\1\2\3" * 20, "scratch.txt": "to do\nto ask\n"},
            {"connection.py": CLIENT, "client.py": None, "logo.bin": b"\0\1\2\4" * 20, "scratch.txt": None},
        ],
        [(None, "a renamed file"), (None, "not lines of text"), (None, "a deleted file")],
    ),
}
TITLES = {"a fixup in the range": ["feat: count", "fixup! feat: count"]}


@pytest.mark.parametrize("case", CASES)
def test_each_hunk_has_a_target_or_a_reason_to_stay(repo: Repo, case: str) -> None:
    versions, expected = CASES[case]
    assert place(repo, *versions, titles=TITLES.get(case, [])) == expected


@pytest.mark.parametrize(("more", "target"), [({"c": "zero\n"}, 1), ({"c": "zero\n", "d": "zero\n"}, None)])
def test_a_doubtful_hunk_stays_if_most_of_a_change_goes_elsewhere(repo: Repo, more: Files, target: int | None) -> None:
    first, second = {"a": "0\n1\n2\n", "c": "0\n", "d": "0\n"}, {"a": "0\n1\n2\n3\n4\n", "b": "0\n"}
    found = place(repo, {"z": "0\n"}, first, second, {"a": "zero\n1\n2\n3\nfour\n", "b": "zero\n", **more})
    # Both commits changed `a`; only the second one changed `b`, and only the first one the others.
    assert [each for each, _ in found] == [0, target, 1] + [0] * len(more)
