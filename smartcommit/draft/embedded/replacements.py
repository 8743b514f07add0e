"""What a draft says of a name or a value that took the place of another one all over a change."""

from __future__ import annotations

from collections.abc import Iterator

from smartcommit.change.edits import OTHER, Edit
from smartcommit.change.facts import DERIVED, FileFacts, find_kinds
from smartcommit.change.filetypes import DOCUMENTATION, TESTS
from smartcommit.change.pairing import count_common_ends, find_differences, is_respelled
from smartcommit.change.text import mentions, read_hunk
from smartcommit.change.wording import may_be_secret, mentions_secret
from smartcommit.draft.embedded.view import FILES_EXAMINED, UPKEEP, ChangeView, Kind, Statement, weigh_beside
from smartcommit.draft.embedded.whole_files import NAMES_LISTED, file_names
from smartcommit.patterns import compile_on_use, list_words
from smartcommit.secrets.files import may_hold_secrets

# A name or a value that took the place of another one in several lines, or of several.
_REPLACEMENT = Kind(0.6, types=("fix", *UPKEEP))
_USE = Kind(0.6, types=UPKEEP)
_COMMENTS = list_words("comment docstring documentation extended words")
_MANY = 4  # places from which on the replacement of a name that is gone mends nothing
_WORD_LETTERS = 4  # of a word of prose that says more than how a sentence is put
# Names with their paths, blanks and signs.
_TOKENS = compile_on_use(r"[\w$-]+(?:[./@:]+[\w$-]+)*|\s+|.")
_DIGEST = compile_on_use(r"@sha256:[0-9a-f]{64}\b")
_SEPARATED = compile_on_use(r"([./:]+)")
# A name with its path, and no hash.
_WORD = compile_on_use(r"(?=.*[^\W\d_])(?:--|\$)?\w[\w$./@:-]{1,37}")
_WORD_LENGTH = 38
# The parts of a name with what is between them.
_PARTS = compile_on_use(r"[A-Z]+(?![a-z])\d*|[A-Z]?[a-z\d]+|[^A-Za-z\d]")
# What a command or a list has of its own: a flag, a quoted word, a path.
_ENTRY = compile_on_use(r"(?=.*[A-Za-z]{3})(?:\"[^\" ]{3,30}\"|'[^' ]{3,30}'|--?[a-z][\w=.-]{2,30}|[\w@./-]{3,29}\w)")


def say_replacement(view: ChangeView) -> Iterator[Statement]:
    """Yield the name, the part of names or the value that took the place of another one in several lines.

    What came, or went, in several lines and has no role is as good.
    """
    places: dict[tuple[str, str], list[tuple[FileFacts, float]]] = {}
    used: dict[str, list[tuple[FileFacts, float]]] = {}
    coded: set[tuple[str, str]] = set()
    for file, edit in view.edits:
        for gone, come in () if may_hold_secrets(file.path) else _list_replaced(edit):
            places.setdefault((gone, come), []).append((file, min(1.0, edit.lines)))
            if edit.role not in _COMMENTS or file.kind == DOCUMENTATION:
                coded.add((gone, come))
            if gone and come and file.kind != DOCUMENTATION:
                used.setdefault(come, []).append((file, min(1.0, edit.lines)))
    # What took each other's place was not replaced.
    for pair in [pair for pair in places if pair[::-1] in places]:
        del places[pair]
        used.pop(pair[1], None)
    pair = max(places, key=lambda pair: (len(used.get(pair[1], ())), len(places[pair])), default=("", ""))
    (gone, come), found = pair, places.get(pair, [])
    text, kind = f"replace {gone} with {come} in", _REPLACEMENT
    is_gone = gone in view.new_names["removed"] and come in view.new_names["added"] and len(found) >= _MANY
    if len(used.get(come, ())) > len(found) and come.isidentifier():
        text, kind, found, is_gone = f"use {come} in", _USE, used[come], False
    elif not gone or not come:
        text = f"add {come} to" if come else f"remove {gone} from"
    elif is_gone:
        kind = _USE
    if gone and come and pair not in coded:
        text = f"replace {gone} with {come} in comments of"
    beside = list(_list_replacing(view, gone, come)) if gone and come else []
    if len(found) + len(beside) > 1 and not may_be_secret(gone) and not may_be_secret(come):
        files = list({file.path: file for file, _ in [*found, *beside]}.values())
        texts = [f"{text} {file_names(files)}", text.rpartition(" ")[0]]
        if len(files) > NAMES_LISTED and find_kinds(files) == {DOCUMENTATION}:
            texts.reverse()  # in prose, others may have it in other forms
        lines = sum(lines for _, lines in found)
        if is_gone:
            # As many lines in which more changed are about it, too.
            lines = max(lines, min(2 * lines, view.count_about({come}, "added")))
        share = view.share(lines)
        if beside:
            kind = Kind(kind.prior, types=kind.types, is_whole=True)
            share = (lines + sum(lines for _, lines in beside)) / (view.lines + weigh_beside(view.change, view.about))
        yield Statement(texts[: 1 + bool(gone and come)], kind, share)


def _list_replacing(view: ChangeView, gone: str, come: str) -> Iterator[tuple[FileFacts, float]]:
    """Yield the other files of a change in which `come` takes the place of `gone`, with their lines."""
    for file in () if view.is_part else view.change.files[:FILES_EXAMINED]:
        if file in view.about or file.kind in (*DERIVED, DOCUMENTATION, TESTS):
            continue
        for hunk in file.diff.hunks:
            removed, added = ("\n".join(read_hunk(hunk).side(side).read()) for side in ("removed", "added"))
            if mentions(removed, gone) and mentions(added, come) and not mentions(removed, come):
                yield file, float(max(len(hunk.removed), len(hunk.added)))


def _list_replaced(edit: Edit) -> Iterator[tuple[str, str]]:
    """Yield what took the place of what: a word or a value, and the parts of a name if these are others."""
    if edit.role in ("words", "section"):
        if edit.act == "changed" and not mentions_secret(f"{edit.old}\n{edit.new}"):
            yield from _list_replaced_words(edit)
        return
    if edit.role == OTHER and edit.act != "changed" and _ENTRY.fullmatch(edit.gone or edit.come):
        yield edit.gone, edit.come
    if edit.role == "program":
        yield edit.old, edit.new
        return
    if edit.role == "callee" and edit.gone and edit.old.startswith(f"{edit.gone}."):
        yield edit.old, edit.new  # what is called of a module, if it is the same all over
    old, new = (_TOKENS.findall(_DIGEST.sub("", side)) for side in (edit.gone or edit.old, edit.come or edit.new))
    pairs = {pair for pair in zip(old, new, strict=False) if pair[0] != pair[1]}
    gone, come = pairs.pop() if len(pairs) == 1 and len(old) == len(new) else ("", "")
    if max(len(gone), len(come)) > _WORD_LENGTH and gone.rpartition("/")[0] == come.rpartition("/")[0]:
        # Of two images of one registry, the names tell.
        gone, come = gone.rpartition("/")[2], come.rpartition("/")[2]
    if _WORD.fullmatch(gone) and _WORD.fullmatch(come):
        # Of `One::A` that became `Self::A`, one name is another.
        names, others = _SEPARATED.split(gone), _SEPARATED.split(come)
        begin, same = count_common_ends(names, others) if len(names) == len(others) else (0, 0)
        gone, come = "".join(names[: len(names) - same]), "".join(others[: len(others) - same])
        yield gone, come
        last, other = "".join(names[begin : len(names) - same]), "".join(others[begin : len(others) - same])
        is_member = begin and not {"/", ":"} & set(gone) and min(len(last), len(other)) >= _WORD_LETTERS
        if is_member:
            # A member of one object may have been replaced on others as well.
            yield last, other
        names, others = _PARTS.findall(gone), _PARTS.findall(come)
        start, end = count_common_ends(names, others)
        # What only came, or only went, goes with the part before it.
        start -= start > 0 and start + end in (len(names), len(others))
        inner = "".join(names[start : len(names) - end]), "".join(others[start : len(others) - end])
        if inner != (gone, come) and all(part.isidentifier() and len(part) > 2 for part in inner):
            yield inner


def _list_replaced_words(edit: Edit) -> Iterator[tuple[str, str]]:
    """Yield the words of prose that took the place of others, as they are and in lower case."""
    old, new = _TOKENS.findall(edit.old), _TOKENS.findall(edit.new)
    pairs: dict[tuple[str, str], None] = {}
    for start, end, new_start, new_end in find_differences(old, new):
        gone, come = "".join(old[start:end]), "".join(new[new_start:new_end])
        is_word = gone.isalpha() and come.isalpha() and min(len(gone), len(come)) >= _WORD_LETTERS
        if is_word and not is_respelled(gone, come):
            pairs[gone, come] = pairs[gone.lower(), come.lower()] = None
    yield from pairs
