"""Edits are read from any lines of any language, however little sense these make."""

from hypothesis import given
from hypothesis import strategies as st

from smartcommit.change.reading import list_edits
from smartcommit.patterns import list_words
from tests.support.changes import make_diff, make_hunk
from tests.support.profile import examples

NAMES = list_words(
    "a.py a.js a.ts a.vue a.go a.rs a.java a.kt a.scala a.rb a.php a.cs a.swift a.dart a.c a.cpp a.hs a.lua a.ex a.clj "
    "a.sh a.yml a.json a.toml a.ini a.tf a.sql a.html a.css a.xml a.md Makefile CMakeLists.txt Dockerfile CODEOWNERS "
    ".gitignore"
)
TOKENS = list_words(
    "a B f ( ) [ ] { } , : := = == => -> :: . ?. ? ! + - * & | || && < > @ # // ; $x `q` \"s\" 't' 1 -x --flag import "
    "from def class if else elif try catch except return case when in or and not new await async let const public"
)
LINES = st.lists(st.lists(st.sampled_from(sorted(TOKENS)), max_size=8).map(" ".join), max_size=4)


@examples(3000, fast=500)
@given(path=st.sampled_from(sorted(NAMES)), old=LINES, new=LINES, kept=LINES)
def test_any_lines_can_be_read(path: str, old: list[str], new: list[str], kept: list[str]) -> None:
    diff = make_diff(path, make_hunk([*kept, *new], [*kept, *old]))
    list(list_edits(diff))


WORDS = st.lists(st.sampled_from([*sorted(TOKENS), *["\n"] * 20]), min_size=4, max_size=60)
PUT = st.lists(st.sampled_from(sorted(TOKENS)), max_size=2)


@examples(3000, fast=500)
@given(path=st.sampled_from(sorted(NAMES)), words=WORDS, at=st.integers(0, 59), gone=st.integers(0, 3), put=PUT)
def test_a_statement_that_differs_in_one_place_can_be_read(
    path: str, words: list[str], at: int, gone: int, put: list[str]
) -> None:
    changed = [*words[:at], *put, *words[at + gone :]]
    list(list_edits(make_diff(path, make_hunk(" ".join(changed).split("\n"), " ".join(words).split("\n")))))


TEXTS = st.text("abcd {}()$@=.,\"'`", max_size=12)


@examples(3000, fast=500)
@given(path=st.sampled_from(["a.js", "a.py", "a.go", "a.rb"]), mark=st.sampled_from("\"'`"), old=TEXTS, new=TEXTS)
def test_any_strings_can_be_read(path: str, mark: str, old: str, new: str) -> None:
    for end in ("", mark):
        list(list_edits(make_diff(path, make_hunk([f"x = {mark}abc{new}{end}"], [f"x = {mark}abc{old}{end}"]))))
