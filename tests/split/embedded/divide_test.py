"""Changes within a file: which are divided, which stay together, and that a plan with cut hunks can be applied."""

import json

import pytest

from smartcommit.split.outcome import DONE
from smartcommit.split.plan_file import read_plan
from smartcommit.split.source import EngineOptions, SplitOptions
from tests.support.repository import Repo
from tests.support.splitting import assert_sound, head_of, run, run_with, status_of

APP = '''import os

TIMEOUT = 10


def load(path):
    """Load a file."""
    with open(path) as f:
        return f.read()


def store(path, text):
    # Write the file to teh disk at once.
    with open(path, "w") as f:
        f.write(text)


def connect(host, timeout=10):
    return (host, timeout)
'''
TESTS = """from app import load, store


def test_load():
    assert load("x") == ""


def test_store():
    store("y", "a")
"""
TESTED = [
    ('== ""\n', '== ""\n    assert load("spaces") == "a"\n'),
    ('store("y", "a")\n', 'store("y", "a")\n    assert open("y").read() == "a\\n"\n'),
]
CODE = """int read_port(int given)
{
  return given;
}

int read_host(int given)
{
  int found=lookup(given);
  return found;
}
"""

Files = dict[str, str]
Edits = dict[str, list[tuple[str, str]]]
BASE = {
    "app.py": APP, "tests/test_app.py": TESTS, "tests/test_more.py": TESTS, "port.c": CODE,
    "cli.py": "from app import load\n\nload('x')\n",
}  # fmt: skip
APPEND = "def append(path, line):\n    with open(path, 'a') as f:\n        f.write(line)\n\n\ndef store"
DISCONNECT = "(host, timeout)\n\n\ndef disconnect(host):\n    host.close()\n    del host\n"
CLEAN = "def clean(text):\n    text = text.strip()\n    return text\n\n\ndef store"
# Changes that a person would divide: what is replaced in files of BASE, and a line of the commit that has less.
DIVIDED: dict[str, tuple[Edits, str]] = {
    "two functions with a test each": (
        {
            "app.py": [("return f.read()", "return f.read().strip()"), ("f.write(text)", 'f.write(text + "\\n")')],
            "tests/test_app.py": TESTED,
        },
        '+        f.write(text + "\\n")',
    ),
    "a new function beside a changed default": (
        {"app.py": [("timeout=10):", "timeout=30):"), ("def store", APPEND)]}, "+def connect(host, timeout=30):",
    ),
    "a corrected word beside a new function": (
        {"app.py": [("teh disk", "the disk"), ("(host, timeout)\n", DISCONNECT)]},
        "+    # Write the file to the disk at once.",
    ),
    "formatting beside a fix": (
        {"port.c": [("=lookup(given)", " = lookup( given )"), ("return given", "return given + 1")]},
        "+  int found = lookup( given );",
    ),
    "formatting beside a parameter of the same function": (
        {"app.py": [("load(path)", "load(path, mode)"), ("(path) as", "( path ) as")]},
        "+    with open( path ) as f:",
    ),
    "a rename beside a fix, in adjacent lines": (
        {"port.c": [("found", "port"), ("port=lookup(given);\n", "port=lookup(given);\n  check(given);\n")]},
        "+  check(given);",
    ),
}  # fmt: skip
# Changes that a person would not divide.
WHOLE: dict[str, Edits] = {
    "a function and its use": {"app.py": [("f.write(text)", "f.write(clean(text))"), ("def store", CLEAN)]},
    "a function and a new use far from it": {
        "app.py": [("return f.read()", "return f.read().strip()"), ("return (host,", "return (load(host),")],
    },
    "a renamed function with its callers": {
        "app.py": [("def load", "def read_text")],
        "cli.py": [("load", "read_text")],
    },
    "two functions with two tests each": {
        "app.py": [("return f.read()", "return f.read().strip()"), ("f.write(text)", 'f.write(text + "\\n")')],
        "tests/test_app.py": TESTED,
        "tests/test_more.py": TESTED,
    },
    "a repeated fix": {"port.c": [("int given)", "int given, int base)")]},
    "indentation under a changed block": {"port.c": [("  return found", "  if (found)\n    return found")]},
    "blank lines beside a fix": {"port.c": [("}\n\nint", "}\n\n\nint"), ("return found", "return found + 1")]},
    "a rename beside a use of the new name": {"port.c": [("found", "port"), ("return given", "return port(given)")]},
}


def make_change(edits: Edits) -> tuple[Files, Files]:
    """The files before and after `edits`."""
    before = {path: BASE[path] for path in edits}
    after = dict(before)
    for path, pairs in edits.items():
        for old, new in pairs:
            after[path] = after[path].replace(old, new)
    return before, after


def commit_before(repo: Repo, before: Files, after: Files) -> str:
    repo.commit("chore: before", before)
    for path, text in after.items():
        repo.write(path, text)
    return head_of(repo)


def patches_since(repo: Repo, old: str) -> list[str]:
    """The patch of each commit since `old`."""
    revisions = repo.git("rev-list", "--reverse", f"{old}..HEAD").split()
    return [repo.git("show", "--format=", "-U0", revision) for revision in revisions]


@pytest.mark.parametrize("name", DIVIDED)
def test_what_a_person_would_divide_is_divided_as_it_was_shown(based: Repo, name: str) -> None:
    edits, line = DIVIDED[name]
    old = commit_before(based, *make_change(edits))
    status, plan, _ = run_with(based, SplitOptions(json=True), yes=False)
    assert status == DONE
    assert run_with(based, SplitOptions(plan=read_plan(plan)))[0] == DONE
    shown = [commit["message"].split("\n")[0] for commit in json.loads(plan)["commits"]]
    assert based.subjects(f"{old}..HEAD") == shown
    patches = patches_since(based, old)
    assert len(patches) == 2, patches
    having = [patch for patch in patches if line in patch.split("\n")]
    assert len(having) == 1
    assert status_of(based) == ""
    assert_sound(based)


def test_what_is_divided_among_files_is_not_divided_within_them(based: Repo) -> None:
    before, after = make_change(DIVIDED["formatting beside a fix"][0])
    old = commit_before(based, before, {**after, "docs/guide.md": "# Guide\n\nHow the herd is drawn on a screen.\n"})
    assert run(based)[0] == DONE
    patches = patches_since(based, old)
    assert ["port.c" in patch for patch in patches].count(True) == 1
    assert len(patches) == 2


@pytest.mark.parametrize("name", WHOLE)
def test_what_belongs_together_stays_whole(based: Repo, name: str) -> None:
    old = commit_before(based, *make_change(WHOLE[name]))
    assert run(based)[0] == DONE
    assert len(patches_since(based, old)) == 1


def test_a_number_of_commits_divides_a_file_that_would_stay_whole(based: Repo) -> None:
    old = commit_before(based, {"port.c": CODE}, {"port.c": CODE.replace("int given)", "int given, int base)")})
    status, _, said = run_with(based, SplitOptions(choice=EngineOptions(count=2)))
    assert (status, said) == (DONE, [])
    assert len(patches_since(based, old)) == 2


def test_more_commits_than_there_are_parts_are_not_made_and_that_is_said(based: Repo) -> None:
    old = commit_before(based, {"port.c": CODE}, {"port.c": CODE.replace("return given", "return given + 1")})
    status, _, said = run_with(based, SplitOptions(choice=EngineOptions(count=3)))
    assert status == DONE
    assert said == ["cannot make 3 commits: the change has 1 part to separate"]
    assert len(patches_since(based, old)) == 1
