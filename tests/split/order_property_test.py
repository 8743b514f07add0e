"""No commit uses what a later one defines, and none what an earlier one removed: random changes in each language."""

import itertools
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.profile import examples
from tests.support.repository import Repo
from tests.support.splitting import run

VERBS = ("load", "parse", "merge", "count", "render", "resolve")
NOUNS = ("orders", "prices", "labels", "ranges")
NAMES = [f"{verb}_{noun}" for verb, noun in itertools.product(VERBS, NOUNS)]
FILES = ("alpha", "beta", "gamma")
# Lines between two places of a file, so that each is a hunk.
GAP = 8


def keep(name: str) -> str:
    return name


def camel(name: str) -> str:
    verb, noun = name.split("_")
    return verb + noun.capitalize()


def pascal(name: str) -> str:
    verb, noun = name.split("_")
    return verb.capitalize() + noun.capitalize()


@dataclass(frozen=True)
class Language:
    """How a file looks. `define` and `use` have a NAME, `define` the BODY of a function too, and `load` a FILE.

    A file begins with `head`, and `open` and `close` are around the uses in it; `spell` makes a name of this language
    from one such as `load_orders`, and `comment` begins a comment.
    """

    path: str
    define: str
    use: str
    head: str = ""
    open: str = ""
    close: str = ""
    load: str = ""
    tail: str = ""
    comment: str = "//"
    spell: Callable[[str], str] = camel


LANGUAGES = {
    "python": Language(
        "shop/FILE.py", "def NAME(value):\nBODY    return value\n", "    NAME(1)\n", open="def run_FILE():\n    pass\n",
        load="from shop.FILE import NAME\n", comment="    #", spell=keep,
    ),
    "typescript": Language(
        "src/FILE.ts", "export function NAME(value: number): number {\nBODY  return value;\n}\n", "  NAME(1);\n",
        open="export function runFILE(): void {\n", close="}\n", load="import { NAME } from './FILE';\n",
    ),
    "go": Language(
        "shop/FILE.go", "func NAME(value int) int {\nBODY\treturn value\n}\n", "\tNAME(1)\n", head="package shop\n",
        open="func runFILE() {\n", close="}\n",
    ),
    "rust": Language(
        "src/FILE.rs", "pub fn NAME(value: u8) -> u8 {\nBODY    value\n}\n", "    NAME(1);\n",
        open="pub fn run_FILE() {\n", close="}\n", load="use crate::FILE::NAME;\n", spell=keep,
    ),
    "java": Language(
        "src/FILE.java", "    static int NAME(int value) {\nBODY        return value;\n    }\n", "        NAME(1);\n",
        head="package shop;\n", open="class FILE {\n    void runFILE() {\n", close="    }\n", tail="}\n",
    ),
    "c": Language(
        "src/FILE.c", "int NAME(int value)\n{\nBODY\treturn value;\n}\n", "\tNAME(1);\n",
        open="void run_FILE(void)\n{\n", close="}\n", spell=keep,
    ),
    "ruby": Language(
        "lib/FILE.rb", "def NAME(value)\nBODY  value\nend\n", "  NAME(1)\n", open="def run_FILE\n", close="end\n",
        comment="  #", spell=keep,
    ),
    "php": Language(
        "src/FILE.php", "function NAME(int $value): int\n{\nBODY    return $value;\n}\n", "    NAME(1);\n",
        head="<?php\n", open="function runFILE(): void\n{\n", close="}\n",
    ),
    "swift": Language(
        "Sources/FILE.swift", "func NAME(_ value: Int) -> Int {\nBODY    return value\n}\n", "    NAME(1)\n",
        open="func runFILE() {\n", close="}\n",
    ),
    "scala": Language(
        "src/FILE.scala", "  def NAME(value: Int): Int = {\nBODY    value\n  }\n", "    NAME(1)\n",
        head="package shop\n", open="trait FILE {\n  def runFILE(): Unit = {\n", close="  }\n", tail="}\n",
    ),
    "python, a class": Language(
        "shop/FILE.py", "class NAME:\n    pass\n", "    NAME()\n", open="def run_FILE():\n    pass\n",
        load="from shop.FILE import NAME\n", comment="    #", spell=pascal,
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Definition:
    """A new name that is defined in one of FILES, the new ones that it uses, and the files that use it elsewhere."""

    name: str
    file: str
    calls: frozenset[str]
    users: frozenset[str]


@st.composite
def definitions(draw: st.DrawFn) -> list[Definition]:
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4, unique=True))
    made = []
    for place, name in enumerate(names):
        calls = frozenset(draw(st.sets(st.sampled_from(names[place:]), max_size=2))) - {name}
        users = frozenset(draw(st.sets(st.sampled_from(FILES), max_size=2)))
        made.append(Definition(name, draw(st.sampled_from(FILES)), calls, users))
    return made


def write_file(language: Language, file: str, made: list[Definition]) -> str:
    """The text of a file with those of the new names that are defined there."""
    gap = "".join(f"{language.comment} {number}\n" for number in range(GAP))
    place_of = {definition.name: definition.file for definition in made}
    own = [definition for definition in made if definition.file == file]
    used = [definition.name for definition in made if file in definition.users]
    loads = ""
    if language.load:
        called = [definition.calls for definition in own if "BODY" in language.define]
        for name in sorted({*used, *itertools.chain.from_iterable(called)}):
            if place_of[name] != file:
                loads += fill(language, language.load, name, place_of[name])
    text = language.head + loads + gap + fill(language, language.open, "", file) + gap
    for name in used:
        text += fill(language, language.use, name, file) + gap
    text += language.close + gap
    for definition in own:
        body = "".join(fill(language, language.use, name, file) for name in sorted(definition.calls))
        text += fill(language, language.define, definition.name, file).replace("BODY", body) + gap
    return text + language.tail


def fill(language: Language, text: str, name: str, file: str) -> str:
    return text.replace("NAME", language.spell(name) if name else "").replace("FILE", file)


@pytest.mark.parametrize("removes", [False, True], ids=["added", "removed"])
@pytest.mark.parametrize("name", LANGUAGES)
@examples(3, fast=1)
@given(made=definitions())
def test_what_a_commit_uses_is_defined_in_it(name: str, removes: bool, made: list[Definition]) -> None:
    language = LANGUAGES[name]
    states = []
    for present in ([], made):
        states.append({language.path.replace("FILE", file): write_file(language, file, present) for file in FILES})
    if removes:
        states.reverse()
    before, after = states
    with tempfile.TemporaryDirectory() as folder:
        repo = Repo.init(Path(folder) / "repo", "--template=")
        old = repo.commit("chore: a", before)
        for path, text in after.items():
            repo.write(path, text)
        assert run(repo, strategy="hunk")[0] == 0
        for commit in repo.git("rev-list", "--reverse", f"{old}..HEAD").split():
            assert find_undefined(repo, commit, language, made) == []


def find_undefined(repo: Repo, commit: str, language: Language, made: list[Definition]) -> list[str]:
    """The names that are used in `commit` but not defined there."""
    text = ""
    for file in FILES:
        text += repo.git("show", f"{commit}:{language.path.replace('FILE', file)}")
    undefined = []
    for definition in made:
        name = language.spell(definition.name)
        head = fill(language, language.define.partition("\n")[0], definition.name, definition.file)
        if name in text and head not in text:
            undefined.append(name)
    return undefined
