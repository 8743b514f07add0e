"""Branches with a change in the working tree, and the commit that each hunk of it belongs to."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tests.support.repository import Repo

# The target of a hunk that has no one commit to go to.
STAYS = ""
NO_HOOKS = ("-c", "core.hooksPath=/dev/null")


@dataclass(frozen=True, slots=True)
class Wanted:
    """Where a hunk belongs: the subjects of the commits that are right, or STAYS, or both.

    `hunk` is a text that only this hunk of `path` adds or, if none adds it, removes; or its number in the file, from 1.
    """

    path: str
    hunk: str | int
    targets: tuple[str, ...]


@dataclass
class Branch:
    """A repository in which a case is built, the subjects of its commits above the base, and where its hunks belong."""

    repo: Repo
    subjects: list[str] = field(default_factory=list)
    wanted: list[Wanted] = field(default_factory=list)


# A part of a case. Targets of hunks are given as the numbers of the commits, from 0, or None for those that stay.
Step = Callable[[Branch], object]


def base(files: Mapping[str, str | bytes]) -> Step:
    """Commit `files` and push them."""

    def build(branch: Branch) -> None:
        branch.repo.commit("chore: base", files)
        branch.repo.git("update-ref", "refs/remotes/origin/main", "HEAD")

    return build


def commit(subject: str, files: Mapping[str, str | bytes] | None = None) -> Step:
    """Commit `files` and all edits made before."""

    def build(branch: Branch) -> None:
        for path, content in (files or {}).items():
            branch.repo.write(path, content)
        branch.repo.git("add", "-A")
        branch.repo.commit(subject)
        branch.subjects.append(subject)

    return build


def write(path: str, content: str | bytes) -> Step:
    return lambda branch: branch.repo.write(path, content)


def delete(path: str) -> Step:
    return lambda branch: (branch.repo.path / path).unlink()


def git(*arguments: str) -> Step:
    return lambda branch: branch.repo.git(*arguments)


def edit(path: str, old: str, new: str) -> Step:
    """Replace the only `old` of a file."""

    def build(branch: Branch) -> None:
        content = (branch.repo.path / path).read_bytes()
        assert content.count(old.encode()) == 1, f"{path} must have {old!r} once"
        branch.repo.write(path, content.replace(old.encode(), new.encode()))

    return build


def want(path: str, hunk: str | int, *targets: int | None) -> Step:
    def build(branch: Branch) -> None:
        subjects = [STAYS if target is None else branch.subjects[target] for target in targets]
        branch.wanted.append(Wanted(path, hunk, tuple(subjects)))

    return build


def fix(path: str, old: str, new: str, *targets: int | None) -> Step:
    """Edit a file in the working tree: a hunk that belongs to one of `targets`."""
    before, after = old.splitlines(), new.splitlines()
    added = [line for line in after if line not in before]
    removed = [line for line in before if line not in after]

    def build(branch: Branch) -> None:
        edit(path, old, new)(branch)
        want(path, (added or removed)[0], *targets)(branch)

    return build


CLIENT = """\
import time


def connect(host, port):
    return (host, port)


def close(connection):
    connection.close()
"""

RETRY = """\


def send_with_retry(connection, data, attempts=3):
    for attempt in range(attempts):
        if connection.send(data):
            return True
        time.sleep(1)
    return False
"""

ENCODE = """\


def encode(message):
    text = message.strip()
    return text.encode("ascii")
"""

HEALTH_GO = """\
package server

import "net/http"

// Health answers the probes of the load balancer.
func Health(w http.ResponseWriter, r *http.Request) {
	w.WriteHeader(http.StatusAccepted)
	w.Write([]byte("okay"))
}
"""

CART_JS = """\
export function total(items) {
  return items.reduce((sum, item) => sum + item.price, 0);
}

export function isEmpty(items) {
  return items.length === 0;
}
"""

README = """\
# Parcel

Sends parcels accross town.

## Installation

    pip install parcel
"""

# A client whose first commit adds `send_with_retry` and whose second adds `encode` right below.
CLIENTS = [
    base({"client.py": CLIENT}),
    commit("feat(client): retry failed sends", {"client.py": CLIENT + RETRY}),
    commit("feat(client): encode messages", {"client.py": CLIENT + RETRY + ENCODE}),
]
ABOVE = commit("docs: add a readme", {"README.md": README})
CART = commit("feat: add a cart", {"cart.js": CART_JS})
BODY = "body {\n  margin: 0;\n}\n"
FOOTER = BODY + "\n.footer {\n  color: grey;\n}"
GRID = "void {}(Grid *grid)\n{{\n    lock(grid);\n\n    unlock(grid);\n}}\n"
GRIDS = GRID.format("clear") + "\n" + GRID.format("fill")
IS_EMPTY = "export function isEmpty(items) {\n  return items.length === 0;\n}\n"
READER = "def read_{0}(text):\n    return parse(text, {0!r})\n"
PARSING = "from parsing import parse\n"
ZEROS = "pub fn count_zeros(limb: u64) -> u32 {\n    limb.trailing_zeros()\n}\n"
ADD_ONE = "pub fn add_one(limb: &mut u64) {\n    *limb += 1;\n}\n"
RSA = '#[cfg(feature = "rsa")]\n'
PATHS = "import { join } from 'path';\n\nexport const root = join('a');\n"
LISTED = PATHS + "\nexport function list() {\n  return readdirSync(root);\n}\n"
SHOW = "import os\nimport sys\n\n\ndef show(rows):\n    print(rows)\n"

CASES: dict[str, list[Step]] = {
    # Lines that have one origin.
    "plain edit": [*CLIENTS, fix("client.py", "time.sleep(1)", "time.sleep(2**attempt)", 0)],
    "line from before the range": [
        base({"cart.js": CART_JS}),
        commit("feat: add tax", {"tax.js": "export function tax(total) {\n  return total * 0.2;\n}\n"}),
        fix("cart.js", "items.length === 0", "!items?.length", None),
        fix("tax.js", "total * 0.2", "Math.round(total * 0.2)", 0),
    ],
    "CRLF": [
        base({"notes.cs": "class Notes\r\n{\r\n}\r\n", ".gitattributes": "*.cs -text\n"}),
        edit("notes.cs", "{\r\n}", "{\r\n    int Count() { return 1; }\r\n    void Clear() { }\r\n}"),
        commit("feat(notes): count notes"),
        ABOVE,
        fix("notes.cs", "return 1;", "return notes.Count;", 0),
    ],
    "no newline at the end": [
        base({"style.css": BODY}),
        commit("feat: style the footer", {"style.css": FOOTER + " /* end */"}),
        ABOVE,
        fix("style.css", "} /* end */", "} /* footer */", 0),
    ],
    "newline added at the end": [
        base({"style.css": BODY}),
        commit("feat: style the footer", {"style.css": FOOTER}),
        ABOVE,
        edit("style.css", "grey;\n}", "grey;\n}\n"),
        want("style.css", 1, 0),
    ],
    # Of two equal hunks, one removes a blank line that was there before the range (git-absorb 116).
    "blank lines removed": [
        base({"grid.c": GRID.format("clear")}),
        commit("feat(grid): fill a grid", {"grid.c": GRIDS}),
        ABOVE,
        write("grid.c", GRIDS.replace(";\n\n", ";\n")),
        want("grid.c", 1, None),
        want("grid.c", 2, 0),
    ],
    # The lines above and below were changed by a later commit (gitbutler 15973).
    "line beside a later change": [
        base({"README.md": README}),
        commit("feat: add a configuration", {"server.ini": "[server]\nhost = localhost\nport = 8008\nworkers = 2\n"}),
        edit("server.ini", "host = localhost", "host = 0.0.0.0"),
        edit("server.ini", "workers = 2", "workers = 8"),
        commit("perf: listen everywhere with more workers"),
        fix("server.ini", "port = 8008", "port = 8080", 0),
    ],
    "line changed and changed back": [
        base({"limits.py": "TIMEOUT = 30\nATTEMPTS = 3\nSIZE = 10\n"}),
        edit("limits.py", "TIMEOUT = 30", "TIMEOUT = 60"),
        commit("feat: wait longer"),
        edit("limits.py", "TIMEOUT = 60", "TIMEOUT = 30"),
        commit("fix: wait no longer than before", {"wait.py": "from limits import TIMEOUT\n"}),
        fix("limits.py", "TIMEOUT = 30", "TIMEOUT = 45", 1),
    ],
    # The change inserts again what a commit removed by mistake.
    "lines restored": [
        base({"cart.js": CART_JS}),
        edit("cart.js", IS_EMPTY, ""),
        edit("cart.js", "=> sum + item.price, 0", "=> sum + item.price * item.count, 0"),
        commit("feat: count items"),
        ABOVE,
        edit("cart.js", "0);\n}\n\n", "0);\n}\n\n" + IS_EMPTY),
        want("cart.js", "export function isEmpty(items) {", 0),
    ],
    # Lines with no origin, or with more than one.
    "lines of two commits": [
        base({"limits.py": "TIMEOUT = 30\nSIZE = 10\n"}),
        edit("limits.py", "TIMEOUT = 30", "TIMEOUT = 60"),
        commit("feat: wait longer"),
        edit("limits.py", "SIZE = 10", "SIZE = 20"),
        commit("feat: allow more"),
        fix("limits.py", "TIMEOUT = 60\nSIZE = 20\n", "LIMITS = {'timeout': 60, 'size': 20}\n", None),
    ],
    "insertion at a border": [
        base({"menu.html": "<ul>\n</ul>\n"}),
        edit("menu.html", "<ul>\n", "<ul>\n  <li>Home</li>\n  <li>Shop</li>\n"),
        commit("feat(menu): link the shop"),
        edit("menu.html", "Shop</li>\n", "Shop</li>\n  <li>Blog</li>\n  <li>Press</li>\n"),
        commit("feat(menu): link the press"),
        fix("menu.html", "Shop</li>\n", "Shop</li>\n  <li>Jobs</li>\n", None),
    ],
    # What is inserted between two commits uses what one of them defines.
    "insertion at a border uses one": [
        base({"readers.py": PARSING, "main.py": "READERS = {}\n"}),
        edit("main.py", "READERS = {}\n", "READERS = {}\nREADERS['csv'] = readers.read_csv\n"),
        commit("feat: read CSV", {"readers.py": PARSING + "\n\n" + READER.format("csv")}),
        edit("main.py", "read_csv\n", "read_csv\nREADERS['xml'] = readers.read_xml\n"),
        edit("readers.py", "'csv')\n", "'csv')\n\n\n" + READER.format("xml")),
        commit("feat: read XML"),
        fix("main.py", "read_csv\n", "read_csv\nREADERS['rss'] = readers.read_xml\n", 1),
    ],
    # A function that nothing uses is a change of its own.
    "new function beside": [
        *CLIENTS,
        fix(
            "client.py",
            'encode("ascii")\n',
            'encode("ascii")\n\n\ndef resolve(name):\n    parts = name.split(".")\n    return parts[-1]\n',
            None,
        ),
    ],
    # A removed line from before the range is not given to its neighbor (git-absorb 15).
    "line beside a commit": [
        base({"limbs.rs": "#![allow(dead_code)]\n" + ZEROS}),
        edit("limbs.rs", "code)]\n", f"code)]\n{ADD_ONE}\n"),
        commit("feat(limbs): add one"),
        fix("limbs.rs", "#![allow(dead_code)]\n", "", None),
        fix("limbs.rs", "    *limb += 1;", "    *limb = limb.wrapping_add(1);", 0),
    ],
    # One of the attributes came with the new function, the other was there before.
    "equal lines removed": [
        base({"limbs.rs": f"use std::mem;\n\n{RSA}{ZEROS}"}),
        commit("feat(limbs): add one", {"limbs.rs": f"use std::mem;\n\n{RSA}{ADD_ONE}\n{RSA}{ZEROS}"}),
        write("limbs.rs", f"use std::mem;\n\n{ADD_ONE}\n{ZEROS}"),
        want("limbs.rs", 1, 0),
        want("limbs.rs", 2, None),
    ],
    # The next release is no correction of the one before, although it changes and borders its lines.
    "version raised again": [
        base(
            {
                "package.json": '{\n  "name": "cart",\n  "version": "1.1.0",\n  "type": "module"\n}\n',
                "CHANGES.md": "# Changes\n\n## 1.1.0\n\n- Count items\n",
                "cart.js": CART_JS,
            }
        ),
        edit("package.json", "1.1.0", "1.2.0"),
        edit("CHANGES.md", "## 1.1.0", "## 1.2.0\n\n- Add tax\n\n## 1.1.0"),
        commit("chore: release 1.2.0"),
        commit("feat: add shipping", {"shipping.js": "export const SHIPPING = 4;\n"}),
        fix("package.json", "1.2.0", "1.3.0", None),
        fix("CHANGES.md", "## 1.2.0", "## 1.3.0\n\n- Add shipping\n\n## 1.2.0", None),
    ],
    # Names that one hunk defines and another uses.
    # A commit uses a module that the change imports, among imports that are older (git-absorb 76).
    "forgotten import": [
        base({"report.py": SHOW}),
        commit("feat(report): dump rows", {"report.py": SHOW + "\n\ndef dump(rows):\n    return json.dumps(rows)\n"}),
        ABOVE,
        fix("report.py", "import os\n", "import json\nimport os\n", 0),
    ],
    # The change adds an import together with its use (git-absorb 56).
    "import beside its use": [
        *CLIENTS,
        fix("client.py", "import time\n", "import random\nimport time\n", 0),
        fix("client.py", "time.sleep(1)", "time.sleep(random.random())", 0),
    ],
    # An import goes to the first commit that uses it, else that one would not run.
    "import used by two commits": [
        base({"paths.ts": PATHS}),
        commit("feat: list files", {"paths.ts": LISTED}),
        commit(
            "feat: count files",
            {"paths.ts": LISTED + "\nexport function count() {\n  return readdirSync(root).length;\n}\n"},
        ),
        fix("paths.ts", "'path';\n", "'path';\nimport { readdirSync } from 'fs';\n", 0),
    ],
    # The definition and its use are of two commits, in this order.
    "symbol renamed": [
        base({"README.md": README}),
        commit("feat: fetch orders", {"orders.py": "def fetch(shop):\n    return shop.orders\n"}),
        commit("feat: print orders", {"main.py": "import orders\n\n\ndef run(shop):\n    print(orders.fetch(shop))\n"}),
        fix("orders.py", "def fetch(", "def fetch_orders(", 0),
        fix("main.py", "orders.fetch(", "orders.fetch_orders(", 1),
    ],
    # The edit of an older commit uses what the edit of a later one defines.
    "name defined by a later commit": [
        base({"README.md": README}),
        commit("feat: draw lines", {"draw.go": "package draw\n\nfunc Line() int {\n\treturn 1\n}\n"}),
        commit("feat: add widths", {"width.go": "package draw\n\nconst thin = 1\n"}),
        fix("width.go", "const thin = 1", "const hairline = 1", 1),
        fix("draw.go", "return 1", "return hairline", None),
    ],
    # The call is removed with a line of another commit.
    "definition removed whose call stays": [
        base({"main.py": "import trace\n\n\ndef run():\n    start()\n"}),
        commit("feat: trace", {"trace.py": "def begin():\n    pass\n\n\ndef debug_dump():\n    print(1)\n"}),
        edit("main.py", "    start()\n", "    start()\n    trace.debug_dump()\n"),
        commit("feat: trace the run"),
        edit("main.py", "debug_dump()\n", "debug_dump()\n    stop()\n"),
        commit("feat: stop the run"),
        fix("trace.py", "\n\n\ndef debug_dump():\n    print(1)\n", "\n", None),
        fix("main.py", "    trace.debug_dump()\n    stop()\n", "", None),
    ],
    # A new file belongs to no commit, nor does the edit that needs it.
    "name in a new file": [
        *CLIENTS,
        write("charset.py", "def pick_charset(text):\n    return 'utf-8'\n"),
        want("charset.py", 1, None),
        fix("client.py", 'text.encode("ascii")', "text.encode(charset.pick_charset(text))", None),
    ],
    # A helper is unused now, but a commit in between calls it: there it must not be missing.
    "removed name used in between": [
        base({"README.md": README}),
        commit(
            "feat: add helpers", {"help.py": "def pad(text):\n    return text + ' '\n\n\ndef cut(text):\n    pass\n"}
        ),
        commit("feat: print titles", {"titles.py": "import help\n\n\ndef title(text):\n    return help.cut(text)\n"}),
        edit("titles.py", "help.cut(text)", "help.pad(text)"),
        commit("fix: pad titles"),
        edit("help.py", "\n\n\ndef cut(text):\n    pass\n", "\n"),
        want("help.py", "def cut(text):", 2, None),
    ],
    # What is more than an edit of lines.
    "file renamed": [
        base({"README.md": README}),
        commit("feat: add a client", {"client.py": CLIENT}),
        CART,
        delete("client.py"),
        write("connection.py", CLIENT),
        want("connection.py", 1, None),
    ],
    "binary changed": [
        base({"README.md": README}),
        commit("feat: add a logo", {"logo.bin": b"\0\1\2\3" * 20}),
        CART,
        write("logo.bin", b"\0\1\2\4" * 20),
        want("logo.bin", 1, 0, None),
    ],
    "file deleted": [
        base({"README.md": README}),
        commit("feat: add a client", {"client.py": CLIENT, "scratch.txt": "to do\nto ask\n"}),
        CART,
        delete("scratch.txt"),
        want("scratch.txt", 1, 0, None),
    ],
    # What lies in the range, and what is staged. Below a merge, a commit need not be changed.
    "merge in the range": [
        base({"README.md": README}),
        commit("feat: answer health probes", {"health.go": HEALTH_GO}),
        git("switch", "-q", "-c", "side", "HEAD^"),
        CART,
        git("switch", "-q", "main"),
        git(*NO_HOOKS, "merge", "-q", "--no-ff", "-m", "Merge branch 'side'", "side"),
        git("branch", "-q", "-D", "side"),
        commit("feat: add a client", {"client.py": CLIENT}),
        fix("health.go", "http.StatusAccepted", "http.StatusOK", 0, None),
        fix("client.py", "return (host, port)", "return Connection(host, port)", 2),
    ],
    # A line of a `fixup!` commit belongs to it or to the commit that it is for.
    "fixup in the range": [
        *CLIENTS,
        edit("client.py", "time.sleep(1)", "time.sleep(attempt)"),
        commit("fixup! feat(client): retry failed sends"),
        fix("client.py", "time.sleep(attempt)", "time.sleep(2**attempt)", 2, 0),
    ],
    "partly staged": [
        *CLIENTS,
        fix("client.py", "time.sleep(1)", "time.sleep(2**attempt)", 0),
        git("add", "--", "client.py"),
        fix("client.py", '"ascii"', '"utf-8"', 1),
    ],
}
