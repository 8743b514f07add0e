"""Whose lines are whose, in one file and in memory."""

from smartcommit.session.alignment import find_blocks
from smartcommit.session.weave import NOBODY, Content, Weave, compose, is_content, join_lines, list_lines
from tests.support.table import rows

A, P = "agent", NOBODY
BASE = "A B C D"
MANY = " ".join(f"l{number}" for number in range(60))


def lines(text: str | None) -> list[bytes]:
    """The lines of a file of words; None is no file."""
    if text is None:
        return []
    return list_lines(Content("100644", "".join(f"{word}\n" for word in text.split()).encode()))


def committed(weave: Weave, session: str = A) -> str | None:
    content = join_lines(compose(weave.entries, weave.select(session)))
    return None if content is None else " ".join(content.data.decode().split())


def weave(head: str | None, *steps: tuple[str, str | None]) -> Weave:
    made = Weave(lines(head))
    for owner, text in steps:
        made.step(lines(text), owner)
    return made


CASES = {
    "a new file": (None, [(A, "x y")], "x y"),
    "a line in a new file of another": (None, [(P, "x y"), (A, "x y z")], None),
    "a line of another in a new file": (None, [(A, "x y"), (P, "x q y")], "x y"),
    "a deleted file": (BASE, [(A, None)], None),
    "a deleted file that another had changed": (BASE, [(P, "A B2 C D"), (A, None)], BASE),
    "a file that another deletes": (BASE, [(A, "A B2 C D"), (P, None)], BASE),
    "two neighbors are replaced": (BASE, [(P, "A P C D"), (A, "A P S D")], "A B S D"),
    "a line inside a block of another": (BASE, [(P, "A B p1 p2 C D"), (A, "A B p1 S p2 C D")], BASE),
    "a line after a block of another": (BASE, [(P, "A B p1 p2 C D"), (A, "A B p1 p2 S C D")], "A B S C D"),
    "a line of another is edited": (BASE, [(P, "A P C D"), (A, "A PS C D")], BASE),
    "another edits a line": (BASE, [(A, "A S C D"), (P, "A SP C D")], BASE),
    "a line of another is edited in a new block": (BASE, [(P, "A B p-1 C D"), (A, "A B S p-2 T C D")], "A B S T C D"),
    "a line of another is edited with one of HEAD": (BASE, [(P, "A B p-1 C D"), (A, "A S p-2 C D")], BASE),
    "another edits a line of a new block": (BASE, [(A, "A S T U B C D"), (P, "A S TP U B C D")], "A S U B C D"),
    "another edits a line of a replacement": (BASE, [(A, "A S T D"), (P, "A S TP D")], BASE),
    "an undo": (BASE, [(A, "A S C D"), (A, BASE)], BASE),
    "another undoes": (BASE, [(A, "A S C D"), (P, BASE)], BASE),
    "what is stashed and comes back unseen": (BASE, [(A, "A S C D"), (A, "A S C D")], "A S C D"),
    "what is stashed and comes back": (BASE, [(A, "A S C D"), (P, BASE), (P, "A S C D")], BASE),
    "a deletion beside a deletion of another": (BASE, [(P, "A C D"), (A, "A D")], "A B D"),
    "a line where another deleted one": (BASE, [(P, "A C D"), (A, "A S C D")], "A B S C D"),
    "a copy of a line of another": (BASE, [(P, "A P B C D"), (A, "A P P B C D")], "A P B C D"),
    "a move": (BASE, [(A, "B C A D")], "B C A D"),
    "a move that another takes half back": (BASE, [(A, "B C A D"), (P, "B C D")], BASE),
    "a line of another moves": (BASE, [(P, "A P B C D"), (A, "A B C P D")], BASE),
    "a line that another removed comes back": (BASE, [(P, "A P B C D"), (P, BASE), (A, "A B C D P")], BASE),
    "a bracket that another removed, in a new block": (
        BASE, [(P, "A } B C D"), (P, BASE), (A, "A B s } C D")], "A B s } C D"),
    "a wide bracket that another removed, in a new block": (
        BASE, [(P, "A ） B C D"), (P, BASE), (A, "A B s ） C D")], "A B s ） C D"),
    "another removes a part": (BASE, [(A, "A s1 s2 B C D"), (P, "A s1 B C D")], "A s1 B C D"),
    "another brings a deleted line back": (BASE, [(A, "A D"), (P, "A C D")], "A C D"),
    "a line of HEAD that another deleted comes back elsewhere": (BASE, [(P, "A D"), (A, "A D B")], BASE),
    "what a line moved across is edited": (
        "p a b c q r s", [(A, "p c q r s"), (A, "p c a b q r s"), (A, "p cz a b q r s")], "p cz a b q r s"),
    "another edits what a line moved across": (
        "p a b c q r s", [(A, "p c q r s"), (A, "p c a b q r s"), ("other", "p cz a b q r s")], "p a b c q r s"),
    "deleted lines come back with a line of another": (
        "e b d g1 g2", [(P, "e b d g1 g2 p"), (A, "e b g2 p"), (A, "e"), (A, "e b g2 p")], "e b g2"),
    "many deleted lines come back with a line of another": (
        f"e {MANY} g", [(P, f"e {MANY} g p"), (A, f"e {MANY} p"), (A, "e"), (A, f"e {MANY} p")], f"e {MANY}"),
    "deleted lines come back, one of them like a line that another deleted": (
        "q else t B C } D else r",
        [(P, "q elsex t B C } D else"), (A, "q elsex t B"), (A, "q elsex t B C } D else")], "q else t B C } D else r"),
    "another edits one end of a move made in two steps": (
        "p long q r", [(A, "p x q r"), (A, "p x q long r"), (P, "p xp q long r")], "p long q r"),
    "another edits a line that was replaced twice": (BASE, [(A, "A S C D"), (A, "A T C D"), (P, "A TP C D")], BASE),
    "another edits a line where one was deleted": (BASE, [(A, "A C D"), (A, "A S C D"), (P, "A SP C D")], BASE),
    "another edits a replacement that HEAD has several times": (
        "R a R b R C D", [(A, "R a R b R R D"), (P, "R a R b R RP D")], "R a R b R C D"),
    "another removes one of two replacements": (
        BASE, [(A, "A S T D"), (A, "A S U D"), (A, "A V U D"), (P, "A U D")], BASE),
    "a replacement is edited with a line of another": (
        BASE, [(A, "A s-1 C D"), (P, "A s-1 p-1 C D"), (A, "A s-p p-2 C D")], BASE),
    "a typing error of another is corrected": (BASE, [(P, "A recieve C D"), (A, "A receive C D")], BASE),
    "a line of another without blanks": (BASE, [(P, "A 这是一行文字 C D"), (A, "A 这是两行文字 C D")], BASE),
    "a block above one that begins alike": (BASE, [(P, "A /* p B C D"), (A, "A /* s /* p B C D")], "A /* s B C D"),
    "a block below one that ends alike": (BASE, [(P, "A p */ B C D"), (A, "A p */ s */ B C D")], "A s */ B C D"),
    "a block of HEAD above one that begins alike": (
        "A t B C", [(P, "A t B t p C"), (A, "A t p C")], "A t B C"),
    "two blocks beside each other, the second of equal lines": (
        "C A D", [(A, "C C D"), (A, "x C C D"), (P, "x B C D y"), (A, "x B C D S")], "x C A D S"),
    "another adds a line beside a new one, below lines that moved": (
        BASE, [(P, "A B C B D"), (A, "A C S D B"), (P, "A C S D A B")], "A B C S D"),
    "two changes far apart": (BASE, [(A, "S A B C D"), (P, "S A B C D P")], "S A B C D"),
}  # fmt: skip


@rows(("head", "steps", "expected"), *CASES.values())
def test_a_commit_has_what_the_session_is_proven_to_have_changed(
    head: str | None, steps: list[tuple[str, str | None]], expected: str | None
) -> None:
    made = weave(head, *steps)
    assert committed(made) == expected
    live = [entry.text for entry in made.entries if entry.is_live]
    assert made.head_lines() == lines(head)
    assert live == made.lines == lines(steps[-1][1])


BINARY = {
    "a binary file": (b"\0a", [(A, b"\0b")], b"\0b"),
    "a binary file that another changes later": (b"\0a", [(A, b"\0b"), (P, b"\0c")], b"\0a"),
    "a binary file that another has changed": (b"\0a", [(P, b"\0b"), (A, b"\0c")], b"\0a"),
    "text that becomes binary": (b"A\nB\n", [(A, b"\0c")], b"\0c"),
    "a last line without a newline": (b"A\nB", [(A, b"A\nB\nS")], b"A\nB\nS"),
    "a line after one without a newline": (b"A\nB", [(P, b"A\nB\nP\n"), (A, b"A\nB\nP\nS\n")], b"A\nB"),
    "a line before one without a newline": (b"A\nB", [(P, b"A\nB\nP"), (A, b"A\nS\nB\nP")], b"A\nB"),
    "a line that another removed comes back indented": (
        b"A\nB\n", [(P, b"A\nperson\nB\n"), (P, b"A\nB\n"), (A, b"A\nB\n    person\n")], b"A\nB\n"),
    "CRLF": (b"A\r\nB\r\n", [(P, b"A\r\nP\r\nB\r\n"), (A, b"A\r\nP\r\nB\r\nS\r\n")], b"A\r\nB\r\nS\r\n"),
    "a lone CR": (b"A\rB\n", [(A, b"A\rB\nS\r\r\n")], b"A\rB\nS\r\r\n"),
}  # fmt: skip


@rows(("head", "steps", "expected"), *BINARY.values())
def test_bytes_are_committed_as_they_are(head: bytes, steps: list[tuple[str, bytes]], expected: bytes) -> None:
    made = Weave(list_lines(Content("100644", head)))
    for owner, data in steps:
        made.step(list_lines(Content("100644", data)), owner)
    content = join_lines(compose(made.entries, made.select(A)))
    assert content.data == expected


def test_a_mode_is_a_change_of_its_own() -> None:
    made = Weave(list_lines(Content("100644", b"A\n")))
    made.step(list_lines(Content("100755", b"A\n")), P)
    made.step(list_lines(Content("100755", b"A\nS\n")), A)
    assert join_lines(compose(made.entries, made.select(A))) == Content("100644", b"A\nS\n")


def test_lines_of_several_contents_are_none() -> None:
    assert is_content(lines("a b"))
    assert not is_content(lines("a b")[1:])
    assert not is_content([*lines("a")[:1], b"a", b"b\n"])
    assert not is_content([*lines("a"), b"\0b"])


def test_far_from_a_change_nothing_is_looked_at() -> None:
    many = [f"l{number}" for number in range(1000)]
    made = Weave(lines(" ".join(many)))
    for place in (100, 900, 500):
        many[place] = f"new{place}"
        made.step(lines(" ".join(many)), A if place != 900 else P)
    assert made.lines == lines(" ".join(many))
    many[900] = "l900"
    assert committed(made) == " ".join(many)


@rows(
    ("head", "own", "others"),
    # What one session could commit, the working tree, and something else.
    ("A S B C D", "A S B C D", "A S B C D O"),
    ("A S B C P D O", "A S B C P D O", "A S B C P D O"),
    ("A B C X D", "A S B C X D", "A B C X D O"),
)
def test_head_moves(head: str, own: str, others: str) -> None:
    made = weave(BASE, (A, "A S B C D"), (P, "A S B C P D"), ("other", "A S B C P D O"))
    made.rebase(lines(head))
    assert [committed(made), committed(made, "other")] == [own, others]
    assert (made.head_lines(), made.lines) == (lines(head), lines("A S B C P D O"))
    assert (made.changes == {}) == (head == "A S B C P D O")


def test_an_undone_commit_beside_lines_like_those_that_it_removed() -> None:
    made = weave("A B C D", (A, "A D"))
    made.commit(made.select(A))
    made.step(lines("A D B C"), P)
    made.uncommit(lines("A B C D"), A)
    assert [(e.text, made.owner_of(e)) for e in made.entries if e.change] == [
        (b"B\n", A), (b"C\n", A), (b"B\n", P), (b"C\n", P),
    ]  # fmt: skip


UNDONE_MOVES = {
    "another has removed a line of it": (
        "a p q r s t u", "a s t u p q r", "a s t u q r", "a s t u q r", "a p s t u q r"),
    "another has removed two equal lines of it": (
        "p x p y s t u v w", "s t u v w p x p y", "s t u v w x y", "s t u v w x y", "p p s t u v w x y"),
    "another edits one end": ("a long q r", "a q long r", "a q long r", "a q long-p r", "a long q r"),
    "a bracket is no move": ("a } b c d", "a b c s } d", "a b c s } d", "a b c sp } d", "a b c } d"),
    "what HEAD has several times is no move": (
        "R a R b c R d", "a R b c s R R d", "a R b c s R R d", "a R b c sp R R d", "a R b c R R d"),
}  # fmt: skip


@rows(("head", "moved", "before", "after", "expected"), *UNDONE_MOVES.values())
def test_an_undone_move(head: str, moved: str, before: str, after: str, expected: str) -> None:
    made = weave(head, (A, moved))
    made.commit(made.select(A))
    made.step(lines(before), "other")
    made.uncommit(lines(head), A)
    made.step(lines(after), "other")
    assert committed(made) == expected


UNDONE = {
    "another replaces it": ([(P, "A zz C D")], BASE),
    "another session does": ([("other", "A zz C D")], BASE),
    "another removes it": ([(P, "A C D")], BASE),
    "another adds a line": ([(P, "A S zz C D")], "A S C D"),
    "the session replaces it": ([(A, "A T C D")], "A T C D"),
    "the session removes it": ([(A, "A C D")], "A C D"),
    "the session replaces it between lines of another": ([(A, "A T C D"), (P, "A zz T xx C D")], BASE),
}


@rows(("steps", "expected"), *UNDONE.values())
def test_an_undone_replacement_is_one_with_what_became_of_it(steps: list[tuple[str, str]], expected: str) -> None:
    made = weave(BASE, (A, "A S C D"))
    made.commit(made.select(A))
    for owner, text in steps:
        made.step(lines(text), owner)
    made.uncommit(lines(BASE), A)
    assert (made.head_lines(), made.lines) == (lines(BASE), lines(steps[-1][1]))
    assert committed(made) == expected


def test_a_claim_and_the_end_of_a_session() -> None:
    made = weave(BASE, (P, "A P B C D"), ("other", "A P B C O D"))
    added = {number for number, entry in enumerate(made.entries) if entry.text == b"P\n"}
    made.assign(added, A)
    assert committed(made) == "A P B C D"
    assert made.list_owners() == {A, "other"}
    assert committed(made, "other") == "A B C O D"


def test_blocks_of_large_files() -> None:
    old = [b"%d\n" % number for number in range(3000)]
    new = [*old[:10], b"x\n", *old[12:2000], b"y\n", *old[2000:]]
    assert find_blocks(old, new) == [(10, 12, 10, 11), (2000, 2000, 1999, 2000)]
    # Nothing stands once on both sides, and there is too much to compare.
    assert find_blocks([b"a\n", b"b\n"] * 400, [b"b\n", b"c\n"] * 400) == [(0, 800, 0, 800)]
