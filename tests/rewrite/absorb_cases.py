"""Branches with a change in the working tree, and the commit that each hunk of it belongs to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tests.support.repository import Repo

# The target of a hunk that has no one commit to go to.
STAYS = ""


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
    """A repository in which a case is built: commits above what is pushed, then a change."""

    repo: Repo
    wanted: list[Wanted] = field(default_factory=list)

    def base(self, files: Mapping[str, str | bytes]) -> None:
        """Commit `files` and push them."""
        self.repo.commit("chore: base", files)
        self.push()

    def push(self) -> None:
        self.repo.git("update-ref", "refs/remotes/origin/main", "HEAD")

    def commit(self, subject: str, files: Mapping[str, str | bytes] | None = None) -> str:
        """Commit `files` and all edits made before; returns the subject."""
        for path, content in (files or {}).items():
            self.repo.write(path, content)
        self.repo.git("add", "-A")
        self.repo.commit(subject)
        return subject

    def edit(self, path: str, old: str, new: str) -> None:
        """Replace the only `old` of a file."""
        content = (self.repo.path / path).read_bytes()
        assert content.count(old.encode()) == 1, f"{path} must have {old!r} once"
        self.repo.write(path, content.replace(old.encode(), new.encode()))

    def fix(self, path: str, old: str, new: str, *targets: str) -> None:
        """Edit a file in the working tree: a hunk that belongs to one of `targets`."""
        self.edit(path, old, new)
        before, after = old.splitlines(), new.splitlines()
        added = [line for line in after if line not in before]
        removed = [line for line in before if line not in after]
        self.want(path, (added or removed)[0], *targets)

    def want(self, path: str, hunk: str | int, *targets: str) -> None:
        self.wanted.append(Wanted(path, hunk, targets))

    def stage(self, *paths: str) -> None:
        self.repo.git("add", "--", *paths)


CASES: dict[str, Callable[[Branch], None]] = {}


def case(build: Callable[[Branch], None]) -> Callable[[Branch], None]:
    """Add a function that builds a case to CASES, under its name."""
    CASES[build.__name__] = build
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


def start_client(branch: Branch) -> tuple[str, str]:
    """A client whose first commit adds `send_with_retry` and whose second adds `encode` right below."""
    branch.base({"client.py": CLIENT})
    retry = branch.commit("feat(client): retry failed sends", {"client.py": CLIENT + RETRY})
    encode = branch.commit("feat(client): encode messages", {"client.py": CLIENT + RETRY + ENCODE})
    return retry, encode


# Lines that have one origin.


@case
def plain_edit(branch: Branch) -> None:
    retry, _ = start_client(branch)
    branch.fix("client.py", "time.sleep(1)", "time.sleep(2**attempt)", retry)


@case
def line_from_before_the_range(branch: Branch) -> None:
    branch.base({"cart.js": CART_JS})
    tax = branch.commit("feat: add tax", {"tax.js": "export function tax(total) {\n  return total * 0.2;\n}\n"})
    branch.fix("cart.js", "items.length === 0", "!items?.length", STAYS)
    branch.fix("tax.js", "total * 0.2", "Math.round(total * 0.2)", tax)


@case
def crlf(branch: Branch) -> None:
    branch.base({"notes.cs": "class Notes\r\n{\r\n}\r\n", ".gitattributes": "*.cs -text\n"})
    branch.edit("notes.cs", "{\r\n}", "{\r\n    int Count() { return 1; }\r\n    void Clear() { }\r\n}")
    count = branch.commit("feat(notes): count notes")
    branch.commit("docs: add a readme", {"README.md": README})
    branch.fix("notes.cs", "return 1;", "return notes.Count;", count)


@case
def no_newline_at_the_end(branch: Branch) -> None:
    branch.base({"style.css": "body {\n  margin: 0;\n}\n"})
    footer = branch.commit(
        "feat: style the footer", {"style.css": "body {\n  margin: 0;\n}\n\n.footer {\n  color: grey;\n} /* end */"}
    )
    branch.commit("docs: add a readme", {"README.md": README})
    branch.fix("style.css", "} /* end */", "} /* footer */", footer)


@case
def newline_added_at_the_end(branch: Branch) -> None:
    branch.base({"style.css": "body {\n  margin: 0;\n}\n"})
    footer = branch.commit(
        "feat: style the footer", {"style.css": "body {\n  margin: 0;\n}\n\n.footer {\n  color: grey;\n}"}
    )
    branch.commit("docs: add a readme", {"README.md": README})
    branch.edit("style.css", "grey;\n}", "grey;\n}\n")
    branch.want("style.css", 1, footer)


@case
def blank_lines_removed(branch: Branch) -> None:
    """Of two equal hunks, one removes a blank line that was there before the range (git-absorb 116)."""
    method = "void {}(Grid *grid)\n{{\n    lock(grid);\n\n    unlock(grid);\n}}\n"
    branch.base({"grid.c": method.format("clear")})
    fill = branch.commit("feat(grid): fill a grid", {"grid.c": method.format("clear") + "\n" + method.format("fill")})
    branch.commit("docs: add a readme", {"README.md": README})
    branch.repo.write("grid.c", (method.format("clear") + "\n" + method.format("fill")).replace(";\n\n", ";\n"))
    branch.want("grid.c", 1, STAYS)
    branch.want("grid.c", 2, fill)


@case
def line_beside_a_later_change(branch: Branch) -> None:
    """The lines above and below were changed by a later commit (gitbutler 15973)."""
    config = "[server]\nhost = localhost\nport = 8008\nworkers = 2\n"
    branch.base({"README.md": README})
    port = branch.commit("feat: add a configuration", {"server.ini": config})
    branch.edit("server.ini", "host = localhost", "host = 0.0.0.0")
    branch.edit("server.ini", "workers = 2", "workers = 8")
    branch.commit("perf: listen everywhere with more workers")
    branch.fix("server.ini", "port = 8008", "port = 8080", port)


@case
def line_changed_and_changed_back(branch: Branch) -> None:
    branch.base({"limits.py": "TIMEOUT = 30\nATTEMPTS = 3\nSIZE = 10\n"})
    branch.edit("limits.py", "TIMEOUT = 30", "TIMEOUT = 60")
    branch.commit("feat: wait longer")
    branch.edit("limits.py", "TIMEOUT = 60", "TIMEOUT = 30")
    back = branch.commit("fix: wait no longer than before", {"wait.py": "from limits import TIMEOUT\n"})
    branch.fix("limits.py", "TIMEOUT = 30", "TIMEOUT = 45", back)


@case
def lines_restored(branch: Branch) -> None:
    """The change inserts again what a commit removed by mistake."""
    branch.base({"cart.js": CART_JS})
    branch.edit("cart.js", "export function isEmpty(items) {\n  return items.length === 0;\n}\n", "")
    branch.edit("cart.js", "=> sum + item.price, 0", "=> sum + item.price * item.count, 0")
    count = branch.commit("feat: count items")
    branch.commit("docs: add a readme", {"README.md": README})
    branch.edit(
        "cart.js", "0);\n}\n\n", "0);\n}\n\nexport function isEmpty(items) {\n  return items.length === 0;\n}\n"
    )
    branch.want("cart.js", "export function isEmpty(items) {", count)


# Lines with no origin, or with more than one.


@case
def lines_of_two_commits(branch: Branch) -> None:
    branch.base({"limits.py": "TIMEOUT = 30\nSIZE = 10\n"})
    branch.edit("limits.py", "TIMEOUT = 30", "TIMEOUT = 60")
    branch.commit("feat: wait longer")
    branch.edit("limits.py", "SIZE = 10", "SIZE = 20")
    branch.commit("feat: allow more")
    branch.fix("limits.py", "TIMEOUT = 60\nSIZE = 20\n", "LIMITS = {'timeout': 60, 'size': 20}\n", STAYS)


@case
def insertion_at_a_border(branch: Branch) -> None:
    branch.base({"menu.html": "<ul>\n</ul>\n"})
    branch.edit("menu.html", "<ul>\n", "<ul>\n  <li>Home</li>\n  <li>Shop</li>\n")
    branch.commit("feat(menu): link the shop")
    branch.edit("menu.html", "Shop</li>\n", "Shop</li>\n  <li>Blog</li>\n  <li>Press</li>\n")
    branch.commit("feat(menu): link the press")
    branch.fix("menu.html", "Shop</li>\n", "Shop</li>\n  <li>Jobs</li>\n", STAYS)


@case
def insertion_at_a_border_uses_one(branch: Branch) -> None:
    """What is inserted between two commits uses what one of them defines."""
    reader = "def read_{0}(text):\n    return parse(text, {0!r})\n"
    main = "READERS = {}\n"
    branch.base({"readers.py": "from parsing import parse\n", "main.py": main})
    branch.edit("main.py", main, "READERS = {}\nREADERS['csv'] = readers.read_csv\n")
    branch.commit("feat: read CSV", {"readers.py": "from parsing import parse\n\n\n" + reader.format("csv")})
    branch.edit("main.py", "read_csv\n", "read_csv\nREADERS['xml'] = readers.read_xml\n")
    branch.edit("readers.py", "'csv')\n", "'csv')\n\n\n" + reader.format("xml"))
    xml = branch.commit("feat: read XML")
    branch.fix("main.py", "read_csv\n", "read_csv\nREADERS['rss'] = readers.read_xml\n", xml)


@case
def new_function_beside(branch: Branch) -> None:
    """A function that nothing uses is a change of its own."""
    start_client(branch)
    branch.fix(
        "client.py",
        'encode("ascii")\n',
        'encode("ascii")\n\n\ndef resolve(name):\n    parts = name.split(".")\n    return parts[-1]\n',
        STAYS,
    )


@case
def line_beside_a_commit(branch: Branch) -> None:
    """A removed line from before the range is not given to its neighbor (git-absorb 15)."""
    branch.base(
        {"limbs.rs": "#![allow(dead_code)]\npub fn count_zeros(limb: u64) -> u32 {\n    limb.trailing_zeros()\n}\n"}
    )
    branch.edit("limbs.rs", "code)]\n", "code)]\npub fn add_one(limb: &mut u64) {\n    *limb += 1;\n}\n\n")
    add = branch.commit("feat(limbs): add one")
    branch.fix("limbs.rs", "#![allow(dead_code)]\n", "", STAYS)
    branch.fix("limbs.rs", "    *limb += 1;", "    *limb = limb.wrapping_add(1);", add)


@case
def equal_lines_removed(branch: Branch) -> None:
    """One of the attributes came with the new function, the other was there before."""
    attribute = '#[cfg(feature = "rsa")]\n'
    count = "pub fn count_zeros(limb: u64) -> u32 {\n    limb.trailing_zeros()\n}\n"
    branch.base({"limbs.rs": f"use std::mem;\n\n{attribute}{count}"})
    function = "pub fn add_one(limb: &mut u64) {\n    *limb += 1;\n}\n"
    add = branch.commit(
        "feat(limbs): add one", {"limbs.rs": f"use std::mem;\n\n{attribute}{function}\n{attribute}{count}"}
    )
    branch.repo.write("limbs.rs", f"use std::mem;\n\n{function}\n{count}")
    branch.want("limbs.rs", 1, add)
    branch.want("limbs.rs", 2, STAYS)


@case
def version_raised_again(branch: Branch) -> None:
    """The next release is no correction of the one before, although it changes and borders its lines."""
    package = '{\n  "name": "cart",\n  "version": "1.1.0",\n  "type": "module"\n}\n'
    changes = "# Changes\n\n## 1.1.0\n\n- Count items\n"
    branch.base({"package.json": package, "CHANGES.md": changes, "cart.js": CART_JS})
    branch.edit("package.json", "1.1.0", "1.2.0")
    branch.edit("CHANGES.md", "## 1.1.0", "## 1.2.0\n\n- Add tax\n\n## 1.1.0")
    branch.commit("chore: release 1.2.0")
    branch.commit("feat: add shipping", {"shipping.js": "export const SHIPPING = 4;\n"})
    branch.fix("package.json", "1.2.0", "1.3.0", STAYS)
    branch.fix("CHANGES.md", "## 1.2.0", "## 1.3.0\n\n- Add shipping\n\n## 1.2.0", STAYS)


# Names that one hunk defines and another uses.


@case
def forgotten_import(branch: Branch) -> None:
    """A commit uses a module that the change imports, among imports that are older (git-absorb 76)."""
    branch.base({"report.py": "import os\nimport sys\n\n\ndef show(rows):\n    print(rows)\n"})
    branch.edit("report.py", "    print(rows)\n", "    print(rows)\n\n\ndef dump(rows):\n    return json.dumps(rows)\n")
    dump = branch.commit("feat(report): dump rows")
    branch.commit("docs: add a readme", {"README.md": README})
    branch.fix("report.py", "import os\n", "import json\nimport os\n", dump)


@case
def import_beside_its_use(branch: Branch) -> None:
    """The change adds an import together with its use (git-absorb 56)."""
    retry, _ = start_client(branch)
    branch.fix("client.py", "import time\n", "import random\nimport time\n", retry)
    branch.fix("client.py", "time.sleep(1)", "time.sleep(random.random())", retry)


@case
def import_used_by_two_commits(branch: Branch) -> None:
    """An import goes to the first commit that uses it, else that one would not run."""
    module = "import { join } from 'path';\n\nexport const root = join('a');\n"
    branch.base({"paths.ts": module})
    module += "\nexport function list() {\n  return readdirSync(root);\n}\n"
    first = branch.commit("feat: list files", {"paths.ts": module})
    module += "\nexport function count() {\n  return readdirSync(root).length;\n}\n"
    branch.commit("feat: count files", {"paths.ts": module})
    branch.fix("paths.ts", "'path';\n", "'path';\nimport { readdirSync } from 'fs';\n", first)


@case
def symbol_renamed(branch: Branch) -> None:
    """The definition and its use are of two commits, in this order."""
    branch.base({"README.md": README})
    fetch = branch.commit("feat: fetch orders", {"orders.py": "def fetch(shop):\n    return shop.orders\n"})
    use = branch.commit(
        "feat: print orders",
        {"main.py": "import orders\n\n\ndef run(shop):\n    for order in orders.fetch(shop):\n        print(order)\n"},
    )
    branch.fix("orders.py", "def fetch(", "def fetch_orders(", fetch)
    branch.fix("main.py", "orders.fetch(", "orders.fetch_orders(", use)


@case
def name_defined_by_a_later_commit(branch: Branch) -> None:
    """The edit of an older commit uses what the edit of a later one defines."""
    branch.base({"README.md": README})
    branch.commit("feat: draw lines", {"draw.go": "package draw\n\nfunc Line() int {\n\treturn 1\n}\n"})
    width = branch.commit("feat: add widths", {"width.go": "package draw\n\nconst thin = 1\n"})
    branch.fix("width.go", "const thin = 1", "const hairline = 1", width)
    branch.fix("draw.go", "return 1", "return hairline", STAYS)


@case
def definition_removed_whose_call_stays(branch: Branch) -> None:
    """The call is removed with a line of another commit."""
    branch.base({"main.py": "import trace\n\n\ndef run():\n    start()\n"})
    branch.commit("feat: trace", {"trace.py": "def begin():\n    pass\n\n\ndef debug_dump():\n    print(1)\n"})
    branch.edit("main.py", "    start()\n", "    start()\n    trace.debug_dump()\n")
    branch.commit("feat: trace the run")
    branch.edit("main.py", "debug_dump()\n", "debug_dump()\n    stop()\n")
    branch.commit("feat: stop the run")
    branch.fix("trace.py", "\n\n\ndef debug_dump():\n    print(1)\n", "\n", STAYS)
    branch.fix("main.py", "    trace.debug_dump()\n    stop()\n", "", STAYS)


@case
def name_in_a_new_file(branch: Branch) -> None:
    """A new file belongs to no commit, nor does the edit that needs it."""
    _ = start_client(branch)
    branch.repo.write("charset.py", "def pick_charset(text):\n    return 'utf-8'\n")
    branch.want("charset.py", 1, STAYS)
    branch.fix("client.py", 'text.encode("ascii")', "text.encode(charset.pick_charset(text))", STAYS)


@case
def removed_name_used_in_between(branch: Branch) -> None:
    """A helper is unused now, but a commit in between calls it: there it must not be missing."""
    branch.base({"README.md": README})
    branch.commit(
        "feat: add helpers", {"help.py": "def pad(text):\n    return text + ' '\n\n\ndef cut(text):\n    pass\n"}
    )
    branch.commit("feat: print titles", {"titles.py": "import help\n\n\ndef title(text):\n    return help.cut(text)\n"})
    branch.edit("titles.py", "help.cut(text)", "help.pad(text)")
    pad = branch.commit("fix: pad titles")
    branch.edit("help.py", "\n\n\ndef cut(text):\n    pass\n", "\n")
    branch.want("help.py", "def cut(text):", pad, STAYS)


# What is more than an edit of lines.


@case
def file_renamed(branch: Branch) -> None:
    branch.base({"README.md": README})
    branch.commit("feat: add a client", {"client.py": CLIENT})
    branch.commit("feat: add a cart", {"cart.js": CART_JS})
    (branch.repo.path / "client.py").rename(branch.repo.path / "connection.py")
    branch.want("connection.py", 1, STAYS)


@case
def binary_changed(branch: Branch) -> None:
    branch.base({"README.md": README})
    logo = branch.commit("feat: add a logo", {"logo.bin": b"\0\1\2\3" * 20})
    branch.commit("feat: add a cart", {"cart.js": CART_JS})
    branch.repo.write("logo.bin", b"\0\1\2\4" * 20)
    branch.want("logo.bin", 1, logo, STAYS)


@case
def file_deleted(branch: Branch) -> None:
    branch.base({"README.md": README})
    client = branch.commit("feat: add a client", {"client.py": CLIENT, "scratch.txt": "to do\nto ask\n"})
    branch.commit("feat: add a cart", {"cart.js": CART_JS})
    (branch.repo.path / "scratch.txt").unlink()
    branch.want("scratch.txt", 1, client, STAYS)


# What lies in the range, and what is staged.


@case
def merge_in_the_range(branch: Branch) -> None:
    """Below a merge, a commit need not be changed."""
    branch.base({"README.md": README})
    health = branch.commit("feat: answer health probes", {"health.go": HEALTH_GO})
    branch.repo.git("switch", "-q", "-c", "side", "HEAD^")
    branch.commit("feat: add a cart", {"cart.js": CART_JS})
    branch.repo.git("switch", "-q", "main")
    branch.repo.git("-c", "core.hooksPath=/dev/null", "merge", "-q", "--no-ff", "-m", "Merge branch 'side'", "side")
    branch.repo.git("branch", "-q", "-D", "side")
    client = branch.commit("feat: add a client", {"client.py": CLIENT})
    branch.fix("health.go", "http.StatusAccepted", "http.StatusOK", health, STAYS)
    branch.fix("client.py", "return (host, port)", "return Connection(host, port)", client)


@case
def fixup_in_the_range(branch: Branch) -> None:
    """A line of a `fixup!` commit belongs to it or to the commit that it is for."""
    retry, _ = start_client(branch)
    branch.edit("client.py", "time.sleep(1)", "time.sleep(attempt)")
    fixup = branch.commit(f"fixup! {retry}")
    branch.fix("client.py", "time.sleep(attempt)", "time.sleep(2**attempt)", fixup, retry)


@case
def partly_staged(branch: Branch) -> None:
    retry, encode = start_client(branch)
    branch.fix("client.py", "time.sleep(1)", "time.sleep(2**attempt)", retry)
    branch.stage("client.py")
    branch.fix("client.py", '"ascii"', '"utf-8"', encode)
