"""Statements on edits: which are one sentence, what it names, and how likely it is the summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain

from smartcommit.change.bumps import is_version
from smartcommit.change.edits import NOT_CALLS, OTHER, Edit
from smartcommit.change.filetypes import DOCUMENTATION, SOURCE, TESTS, is_changelog
from smartcommit.change.text import find_names, is_import, mentions, read_lines, split_identifier
from smartcommit.change.wording import (
    format_count,
    join_names,
    join_safe,
    make_printable,
    may_be_secret,
    mentions_secret,
)
from smartcommit.draft.embedded.phrases import SAYINGS, Saying, find_types
from smartcommit.draft.embedded.related_edits import RESULT_NAME, Claim, join_related
from smartcommit.draft.embedded.replacements import say_replacement
from smartcommit.draft.embedded.view import FILES_EXAMINED, ChangeView, Kind, Statement
from smartcommit.draft.embedded.whole_files import file_names
from smartcommit.patterns import compile_on_use, list_words
from smartcommit.secrets.files import may_hold_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from smartcommit.change.text import Side

_OBJECTS = 3  # that one sentence names
_FILES = 3  # that one sentence names
_OBJECT_LENGTH = 64
_PLACE_LENGTH = 50
_TEXT_LENGTH = 110  # that a header can have
_ALONE = 0.85  # the share of the changed lines from which on a saying is about all of the change
# Of a saying that is not, the prior if that of its role is this one, and how far others differ.
_PRIOR_BESIDE = 0.48
_PRIOR = 0.65
_SLOPE = 0.2
# Roles of edits that are about a change only if it has little else, the share of it, and the prior of their sayings if
# it has more.
_DETAILS = list_words("conditional semicolon spelling message repeated quotes order import import-moved include")
_MOST = 0.6
_PRIOR_OF_DETAIL = 0.1
_PRIOR_OF_COMMENTS = 0.15  # that changed, which names no more than their place
_PRIOR_OF_PRIVATE = 0.25  # of new names that nobody else may use
_PRIVATE = compile_on_use(r"(?:self\.|this\.)?(?:_|#\w)")
_BOTH = 0.5  # the prior of two or three edits in one sentence
_BOTH_LENGTH = 72
_SECTIONS = compile_on_use(r"\bthe ([^,]+) section and the ([^,]+) section\b")
_HOLDER = compile_on_use(r" (to|from|in|of) (?=\S+\Z)")
# What several imports make a title of.
_ADJUSTED = Kind(0.25, types=("refactor", "style"))
_VERSIONED = Kind(0.55, types=("chore", "build", "ci", "deps"))
_ANNOTATED = Kind(0.6, types=("refactor", "style"))
_IMPORTS = list_words("import import-kept import-moved import-source include")
# Functions that many files have, so that the file says more.
_COMMON = list_words("main init __init__ new run setup setUp constructor default exports test render")
# What is said of more edits than a sentence lists.
_ACTS = {
    ("deprecated", "came"): "deprecate definitions",
    ("docstring", "came"): "add docstrings", ("import", "went"): "remove unused imports",
    ("include", "went"): "remove unused includes", ("modifier", "came"): "make definitions {}",
    ("pin", "came"): "pin {} to digests", ("returned", "came"): "annotate return types", ("skip", "came"): "skip tests",
}  # fmt: skip
# Roles that repeat names alone, and no values that may be secret.
_NAMED = list_words(
    "ignored assignment dead-code "
    "annotation attribute await call callee captured case caught column comment comparison condition context "
    "declaration definition deprecated derive directive docstring "
    "export field heading implemented import import-source include key keyword link locked message missing modifier "
    "environment helper image marked option parameter precondition rename requirement returned route rule section "
    "signature skip spelling step task used"
)
# What is said of a modifier that came, or went, in other words.
_MODIFIED = {
    "pub": ("public", "private"), "public": ("public", "less visible"), "export": ("exported", "private"),
    "async": ("async", "synchronous"), "mut": ("mutable", "immutable"),
}  # fmt: skip
# Roles that are of the file rather than of a function in it.
_OF_FILE = list_words("item class key import include section row definition step alias package program command link")
# Roles of which more than a sentence names are counted.
_COUNTED = {"item", "class", "key", "field", "row", "setting"}
_PROSE = {"comment", "copyright", "dead-code", "docstring", "documentation", "extended"}
# Roles whose place is all that they say.
_PLACED = _PROSE | list_words(
    "commented dead-code comparison condition formatting spelling message link precondition repeated semicolon styles"
)
# What has no items, fields and arguments.
_LITERALS = list_words("nil null None undefined true false True False")
_SWITCHES = {"yes", "no", "on", "off"}
# Functions that are passed what nobody else may know.
_TAKES_SECRETS = compile_on_use(
    r"(?i)log_?[io]n|sign_?in|auth|unlock|passw|passcode|credential|(?:\b|_)(?:pin|otp)\b|(?-i:Pin\b)"
)
_DECLARING = ("let ", "const ", "var ", "val ")
# Roles of signs, and of names that begin with one, as `:key` of Vue.
_OF_SIGNS = {"attribute", "compared"}
# Attributes of how an element looks.
_LOOKS = {"class", "className", "style"}
# Roles of which the names in other lines are uses of what came, or went.
_NAMING = list_words(
    "alternative argument assignment attribute callee case caught check column environment export field flag guard "
    "item key option package parameter program route row rule section step task value"
)
_KEYWORDS = NOT_CALLS | list_words("break continue default early stop skip rest fail without true false null none")
_MOMENT = compile_on_use(r"[\"']?\d{4}-\d\d-\d\dT\d\d:")
_ESCAPED = compile_on_use(r"\\[^\w\\]")
_PATHS = compile_on_use(r"[A-Za-z_][\w.]*")
_NAME_LETTERS = 4  # of a name that other lines are about
_PLURALS = ("parameter", "option", "alias", "section", "step", "job", "target", "service", "typo", "link")


def say_edits(view: ChangeView) -> Iterator[Statement]:
    """Yield what the edits are; equal ones in several places, and several of one place, are one statement."""
    # Replacements need the edits as they are: those that are one get another role below.
    replacements = list(say_replacement(view))
    claims = join_related(_list_claims(view), view)
    # What only moved needs no words.
    moved = sum(claim.lines for claim in claims if claim.edit.role == "layout")
    claims = [claim for claim in claims if claim.edit.role != "layout"]
    total = max(view.lines - moved, sum(claim.lines for claim in claims))
    equal: dict[tuple[str, ...], list[Claim]] = {}
    for claim in claims:
        edit = claim.edit
        if edit.role == "words":
            edit.old, edit.new = edit.old and "words", edit.new and "words"
        saying = SAYINGS.get(edit.role)
        if saying and _can_say(claim, saying):
            equal.setdefault(_key(edit, saying), []).append(claim)
    patterns = {claim.file.path for claim in claims if "*" in claim.edit.new and claim.edit.act != "went"}
    listed: dict[tuple[str, ...], list[list[Claim]]] = {}
    for same in equal.values():
        edit = same[0].edit
        # Of settings, what is listed is their names.
        holder = "" if edit.role == "setting" else edit.holder
        listed.setdefault((edit.role, edit.act, holder, _where(same)), []).append(same)
    for group in listed.values():
        first = group[0][0]
        # More settings than a sentence lists are told of a literal in code: in data they are of several things.
        is_counted = first.edit.role in _COUNTED - {"setting"} or first.file.kind in (SOURCE, TESTS)
        # A pattern that came in their place has them all.
        is_counted = is_counted and first.file.path not in patterns
        is_listed = len(group) <= _OBJECTS or (first.edit.role in _COUNTED and is_counted)
        if len(group) > 1 and is_listed and first.edit.act != "changed" and first.edit.role not in ("guard", "done"):
            yield _state(view, group, total)
        for same in group:
            yield _state(view, [same], total)
    yield from _say_sweeps(view)
    yield from _say_acts(list(equal.values()), total)
    roles = {claim.edit.role for claim in claims}
    # Which element has a class is not known, so that none can be named beside it.
    are_joined = (_DETAILS | _PROSE | {"helper"}).isdisjoint(roles) and (len(roles) == 1 or "class" not in roles)
    if are_joined and len({_where(same) for same in equal.values()}) == 1:
        yield from _say_together(view, list(listed.values()), total)
    named = {f"replace {edit.gone} with {edit.come}" for _, edit in view.edits if edit.role == RESULT_NAME}
    yield from [said for said in replacements if said.texts[-1] not in named]


def _list_claims(view: ChangeView) -> list[Claim]:
    """Return the edits that say something beside the others."""
    claims = [Claim(file, edit, edit.lines) for file, edit in view.edits if edit.role != "layout"]
    claims = [claim for claim in claims if claim.file not in view.change.translations]
    if not {claim.edit.role for claim in claims} <= _PROSE:
        claims = [claim for claim in claims if claim.edit.role not in _PROSE]
    # Beside other edits it needs no words.
    claims = [claim for claim in claims if claim.edit.role != "formatting"] or claims
    defined: set[str] = set()
    for file in view.change.files:
        defined.update([symbol.name for symbol in file.symbols.added if symbol.kind != "key"])
    for claim in claims:
        if claim.edit.role == "item" and claim.edit.act == "came" and claim.edit.new.strip("\"'") in defined:
            claim.edit.role = OTHER  # what is listed follows from its definition
        elif claim.edit.role == "setting" and claim.edit.holder == claim.edit.new:
            # `core: core` hands on what is there, and as data, or with quotes, it is an entry.
            is_entry = not claim.file.language.name or claim.edit.text.lstrip()[:1] in ("'", '"')
            claim.edit.role, claim.edit.holder = "key" if is_entry else OTHER, ""
        elif claim.edit.role == "setting" and claim.edit.text[:1] == "[" and len(claims) > 1:
            # Beside others, the new section says more than its setting.
            claim.edit = Edit("section", "", claim.edit.place, lines=claim.lines, text=claim.edit.text)
        elif claim.edit.role == "section" and is_changelog(claim.file.path):
            claim.edit.role = OTHER  # the version says more
        elif claim.edit.role == "function" and _is_on_both_sides(claim):
            claim.edit.role = OTHER  # it only moved, and may have another body
    return claims


def _is_on_both_sides(claim: Claim) -> bool:
    """Whether what a line defines that came, or went, is also defined by one that went, or came."""
    name = claim.edit.new or claim.edit.old
    for line in read_lines(claim.file.diff.hunks, "removed" if claim.edit.new else "added"):
        symbol = claim.file.language.read_symbol(line) if name in line else None
        if symbol is not None and symbol[0] == name:
            return True
    return False


def _key(edit: Edit, saying: Saying) -> tuple[str, ...]:
    """Return what edits have in common that are said by one sentence."""
    key: tuple[str, ...] = (edit.role, edit.old, edit.new)
    if saying.came and saying.came == saying.went:
        key = (edit.role,)  # it is only said where
    elif edit.role in _PLACED or edit.role == "values":
        key = (edit.role, edit.act)
    has_holder = "{holder}" in getattr(saying, edit.act) and edit.role not in ("method", "implemented")
    return (*key, edit.holder if has_holder else "")


def _say_together(view: ChangeView, listed: Sequence[Sequence[Sequence[Claim]]], total: float) -> Iterator[Statement]:
    """Yield what a few edits of one place do, all of them, or those that changed something."""
    equal = list(chain.from_iterable(listed))
    acts = sorted(group[0][0].edit.act for group in listed)
    if len(equal) > len(listed) and acts == ["came", "went"] and max(map(len, listed)) <= _OBJECTS:
        stated = sorted(listed, key=lambda group: group[0][0].edit.act == "went")
        yield from _state_together([_state(view, group, total) for group in stated], _ALONE)
        return
    groups = sorted(equal, key=lambda same: same[0].edit.act == "went")
    changed = [same for same in groups if same[0].edit.act == "changed"]
    for part, least in ((groups, _ALONE), (changed, _MOST)):
        if 1 < len(part) <= _OBJECTS:
            yield from _state_together([_state(view, [same], total) for same in part], least)


def _state_together(stated: Sequence[Statement], least: float) -> Iterator[Statement]:
    """Yield what several edits do as one sentence, which names once what they are all part of, if there is room.

    They are at least a share of `least` of the change.
    """
    said = []
    shortest = [statement.texts[-1] for statement in stated]
    for last in (stated[-1].text, shortest[-1]):
        texts = [*shortest[:-1], last]
        parts = [_HOLDER.split(text) for text in texts]
        if _are_of_one(parts):
            texts[1:] = [part[0] for part in parts[1:]]
            if len({(text.partition(" ")[0], part[1]) for text, part in zip(texts, parts, strict=True)}) == 1:
                # The verb, too, is said once.
                texts = [parts[0][0], *[text.partition(" ")[2] for text in texts[1:]]]
                texts[-1] += f" {parts[0][1]} {parts[0][2]}"
        elif len({text.partition(" ")[0] for text in texts}) == 1:
            texts[1:] = [text.partition(" ")[2] for text in texts[1:]]
        said.append(_SECTIONS.sub(r"the \1 and \2 sections", f"{', '.join(texts[:-1])} and {texts[-1]}"))
    # What one of several is part of is no more left out than the value of a setting.
    parts = [_HOLDER.split(text) for text in shortest]
    is_to = _are_of_one(parts) and parts[0][1] in ("to", "from") and not parts[0][0].startswith("set ")
    if is_to or parts[0][1:2] == ["in"]:
        said.append(said[-1].replace(f" {parts[0][1]} {parts[0][2]}", ""))
    types = stated[0].kind.types if len({tuple(statement.kind.types) for statement in stated}) == 1 else ()
    for text in said:
        share = sum(statement.share for statement in stated)
        if len(text) <= _BOTH_LENGTH and share >= least:
            yield Statement([text], Kind(_BOTH, types=types), 1.0 if share >= _ALONE else share)
            return


def _are_of_one(parts: Sequence[Sequence[str]]) -> bool:
    """Whether sentences, split at what they name last, name the same there."""
    return len({part[-1] for part in parts}) == 1 and all(len(part) == 3 for part in parts)


def _say_acts(edits: Sequence[Sequence[Claim]], total: float) -> Iterator[Statement]:
    """Yield what more edits do than a sentence lists, each to something else."""
    acts: dict[tuple[str, str, str], list[Sequence[Claim]]] = {}
    for same in edits:
        edit = same[0].edit
        acts.setdefault((edit.role, edit.act, edit.new if edit.role == "modifier" else ""), []).append(same)
    for (role, act, word), group in acts.items():
        template, claims = _ACTS.get((role, act), ""), list(chain.from_iterable(group))
        if template and len(group) > _OBJECTS:
            what = _MODIFIED.get(word, (word, ""))[0] or format_count(len(group), "action")
            text, share = template.format(what), min(1.0, sum(claim.lines for claim in claims) / total)
            kind = Kind(SAYINGS[role].prior, types=find_types(claims[0].edit))
            yield Statement([f"{text} in {_where(claims)}", text], kind, share)


def _say_sweeps(view: ChangeView) -> Iterator[Statement]:
    """Yield what all edits of code are if they are imports, or types of what was there, with their imports."""
    files = {file.path: file for file, _ in view.edits}
    if len(view.edits) > 1 and len(files) == len(view.core) and all(_moves_version(edit) for _, edit in view.edits):
        yield Statement([f"update versions in {file_names(list(files.values()))}"], _VERSIONED, 1.0)
    files = {file.path: file for file, _ in view.edits if file.language.name}
    has_types = False
    for _, edit in view.edits:
        is_type = edit.role == "returned" or (edit.role, edit.act) == ("annotated", "came")
        has_types = has_types or is_type
        if not (is_type or edit.role in _IMPORTS or (edit.role == OTHER and is_import(edit.text))):
            return
    if files and len(files) == len(view.core):
        text, kind = ("annotate types", _ANNOTATED) if has_types else ("adjust imports", _ADJUSTED)
        yield Statement([f"{text} in {file_names(list(files.values()))}"], kind, 1.0)


# The name of a secret, as workflows use it, is none.
_SECRET_OF_CI = compile_on_use(r"\$\{\{ ?secrets\.\w+ ?\}\}")
# A text with digits among letters.
_QUOTED_NUMBER = compile_on_use(r"[\"'](?=[^\"']*[A-Za-z])[^\"' ]*\d[^\"' ]*\d[^\"' ]*[\"']")


def _moves_version(edit: Edit) -> bool:
    texts = [text.strip("\"'") for text in (edit.old, edit.new) if text]
    # `0.5` may be any number, but for one in quotes.
    is_told = "ersion" in edit.text or not {'"', "'"}.isdisjoint(edit.text)
    is_told = is_told or all(text.count(".") > 1 or text.startswith("v") for text in texts)
    return edit.role in ("item", "value", "values", OTHER) and is_told and all(is_version(text) for text in texts)


def _can_say(claim: Claim, saying: Saying) -> bool:
    edit = claim.edit
    text = getattr(saying, edit.act)
    said = [edit.new] * ("{new}" in text) + [edit.old] * ("{old}" in text) + [edit.holder] * ("{holder}" in text)
    if (
        not text
        or not all(said)
        # What a sign is part of was not read, as in `count :: Int`, and a group of values has no name.
        or any(each.startswith((":", "=", "(")) and "=>" not in each for each in said if edit.role not in _OF_SIGNS)
        # A function that is given may hold a secret.
        or any("=>" in each and not {'"', "'", "`"}.isdisjoint(each) for each in said)
        or any(each.endswith((").", " ||", " &&", " or", " and")) for each in said)
        # A part of what is in brackets, and a sign where a name stands, were misread.
        or any(_ends_early(each) for each in said)
        or (edit.holder in said and not any(char.isalnum() for char in edit.holder))
        or (edit.role == "duplicate" and not any(char.isalnum() for char in edit.old))
        # In `raise A from b` the cause is no argument.
        or (edit.role == "argument" and edit.new.startswith("from "))
        # The value of a choice, or a default, may be a secret as any other one.
        or (edit.role in ("default", "done", "guard") and any(map(_QUOTED_NUMBER.search, said)))
        or any(len(each) > _OBJECT_LENGTH for each in said)
        or (edit.holder in _LITERALS and edit.role not in _PLACED)
        or (edit.role == "program" and f"{edit.new}=" in edit.text)
        or (edit.role == "word" and min(len(edit.old), len(edit.new)) < 2)
        or (edit.role == "import" and edit.new == "type")
        or (edit.role == "word" and claim.file.language.name and _is_part(edit.old, edit.new))
        # The field of Go on the line before has no new type.
        or (edit.role == "type" and not mentions(edit.text, edit.holder))
        # Nobody wrote a moment, a name that is cut, or a pattern.
        or _MOMENT.match(edit.new or edit.old)
        or ("{holder}" in text and len(edit.holder) > _PLACE_LENGTH)
        or (edit.role == "item" and any(_ESCAPED.search(each) for each in said))
        # It has other quotes, or other blanks, which are not shown.
        or (edit.role == "value" and edit.new == edit.old)
        or ("{old}" in text and edit.new.split() == edit.old.split())
        # An annotation gets another target, as in `@get:Name`.
        or (edit.role in ("parameter", "rename") and edit.new.startswith("@"))
        # Which classes an element has says nothing of what it is.
        or (edit.role in ("attribute", "setting", "value", "values") and {edit.holder, edit.new, edit.old} & _LOOKS)
        or may_hold_secrets(claim.file.path)
    ):
        return False
    if edit.role == "wrapped" and set("\"'`").isdisjoint("".join(said)):
        return True
    if edit.role in _NAMED and not (edit.role == "attribute" and "=" in said[0]):
        return True
    is_code = bool(claim.file.language.name) and claim.file.language.name != "shell"
    named = said if edit.role == "check" else [side.strip(", ") for side in (edit.gone, edit.come) if side]
    if edit.role in ("argument", "check") and is_code and all(map(_PATHS.fullmatch, named)):
        return True  # the name of a value is none
    values = [each for each in said if each != edit.holder]
    # What is true or false is no secret, whatever it is of.
    is_literal = all(value.rpartition("=")[2] in _LITERALS | _SWITCHES for value in values)
    if edit.role in ("argument", "setting", "value") and is_literal:
        return True
    if values and all(_SECRET_OF_CI.fullmatch(value) for value in values):
        return True
    has_digit = any(char.isdigit() for char in "".join(said))
    return not _may_pass_secret(edit) and not (has_digit and may_be_secret(" ".join(said).removeprefix("pass ")))


def _may_pass_secret(edit: Edit) -> bool:
    """Whether the line of an edit, or the function that it passes something to, tells of a secret."""
    is_taken = edit.role == "argument" and _TAKES_SECRETS.search(edit.holder) is not None
    return is_taken or mentions_secret(edit.text)


def _ends_early(text: str) -> bool:
    """Whether brackets of a text are open at its end, or close what is not in it, unless they are quoted, or quotes."""
    if text[:1] != "'" and text.replace('\\"', "").count('"') % 2:
        return True
    return text[:1] not in "\"'`" and any(
        text.count(opening) != text.count(closing) for opening, closing in ("()", "[]", "{}")
    )


def _is_part(one: str, other: str) -> bool:
    """Whether of two paths one is reached by the other: `a?.b` and `a` in a condition ask the same of `a`."""
    short, long = sorted((one, other), key=len)
    return long.startswith((f"{short}.", f"{short}?.", f"{short}->"))


def _where(claims: Sequence[Claim]) -> str:
    """Return where equal edits were made: one function or file, else the number of files."""
    files = list({claim.file.path: claim.file for claim in claims}.values())
    first, places = claims[0].edit, {claim.edit.place for claim in claims}
    if len(files) > _FILES:
        return format_count(len(files), "file")
    place = places.pop() if len(places) == len(files) == 1 else ""
    if not place or place in {*_COMMON, first.holder, first.new, first.old} or first.role in _OF_FILE:
        return file_names(files)
    return make_printable(place, _PLACE_LENGTH)


def _is_elsewhere(view: ChangeView, claims: Sequence[Claim]) -> bool:
    """Whether another file got, or lost, in another form what equal edits brought to some, or took from them."""
    paths, edit = {claim.file.path for claim in claims}, claims[0].edit
    # The nouns of definitions are in no line.
    holders = [edit.holder] if edit.holder in edit.text and edit.role in ("setting", "value") else []
    # Of a guard, the condition is in the lines.
    new, old = (text.rpartition(" if ")[2] for text in (edit.new, edit.old))
    sides: list[tuple[str, Side, Side]] = [(new, "added", "removed"), (old, "removed", "added")]
    for file in [file for file in view.change.files[:FILES_EXAMINED] if file.path not in paths]:
        has_all = True
        for text, side, other in [side for side in sides if side[0]]:
            lines, others = ("\n".join(read_lines(file.diff.hunks, each)) for each in (side, other))
            has_text = all(mentions(lines, each) for each in (text, *holders)) and not mentions(others, text)
            has_all = has_all and has_text
        if has_all:
            return True
    return False


def _count_about(view: ChangeView, group: Sequence[Sequence[Claim]]) -> int:
    """Return how many lines are about the names that a sentence repeats and that only came, or only went."""
    first = group[0][0].edit
    side: Side = "removed" if first.act == "went" else "added"
    # What is given to a call instead of something else, and a variable or constant, follow from what is done with them.
    is_local = first.role == "key" and not first.place[:1].isupper() and group[0][0].file.language.name
    if first.role not in _NAMING or is_local or (first.role == "argument" and first.act != "came"):
        return 0
    names: set[str] = set()
    if first.role == "option":
        # `--dry-run` is `dry_run` and `dryRun` in other lines.
        options = [same[0].edit.new or same[0].edit.old for same in group]
        return view.count_about({option.lstrip("-").replace("-", "_") for option in options}, side)
    lines = 0
    for same in group:
        edit = same[0].edit
        said = edit.old if first.act == "went" else edit.new
        is_of_data = first.role in ("item", "key") and not same[0].file.language.name
        if is_of_data or (first.role in ("item", "key") and "-" in said.strip("-\"'")):
            # Of `v3-alpha`, other lines have `alpha` for other reasons, unless it is an entry there as well.
            entries = view.added if side == "added" else view.removed
            heads = [line.replace("=", ":").partition(":")[0].strip(" \"',;-") for line in entries]
            lines += heads.count(said.strip("\"'"))
            continue
        said = said if first.role in ("argument", "guard") else f"{said} {edit.holder}"
        if first.role in ("item", "key"):
            names.update(find_names(said))
        elif first.role != "step" and not said.startswith("."):
            # Of `host.names.add`, what is called is the last name; words of a step, or of a module, are no names.
            names.update([find_names(path)[-1] for path in _PATHS.findall(said)])
    local = {edit.new or edit.old for _, edit in view.edits if edit.role == "variable"}
    local |= {edit.come for _, edit in view.edits if edit.text.lstrip().startswith(_DECLARING)}
    # What took the place of another name all over is no news of one place.
    spread = Counter([split_identifier(edit.come) for _, edit in view.edits if edit.gone.isidentifier()])
    if any(spread[split_identifier(name)] > 1 for name in names | {first.new}):
        return 0
    names = {name for name in names & view.new_names[side] - local - _KEYWORDS if len(name) >= _NAME_LETTERS}
    return lines + (view.count_about(names, side) if names else 0)


def _state(view: ChangeView, group: Sequence[Sequence[Claim]], total: float) -> Statement:
    first = group[0][0].edit
    saying, where = SAYINGS[first.role], _where(group[0])
    files = {claim.file.path for claim in group[0]}
    is_counted = len(files) > _FILES
    is_part = first.role in _PROSE and len(files) < len(view.about)
    if first.role not in _PLACED and is_counted and (is_part or _is_elsewhere(view, group[0])):
        where = ""  # it would count some of the files
    lines = 0.0
    for same in group:
        lines += sum(claim.lines for claim in same)
    about = _count_about(view, group)
    share = min(1.0, max(lines / total, view.share(about)))
    new = _list_names(first, [same[0].edit.new for same in group])
    if first.role == "type":
        # The default of a field is no part of its type, unless that changed as well.
        new, _, value = new.partition(" = ")
        _, had_value, old_value = first.old.partition(" = ")
        if had_value and value not in ("", old_value):
            new += f" and its default to {value}"
    old = _list_names(first, [same[0].edit.old for same in group])
    template = _choose_template(group, saying)
    if first.role == "modifier":
        came, went = _MODIFIED.get(new, (new, "")), _MODIFIED.get(old, ("", ""))
        new, template = came[0], "make {holder} {new}{in}" if new or went[1] else template
        new = new or went[1]
    # What has the same edit, if these are two at most.
    holders = dict.fromkeys(claim.edit.holder for claim in group[0])
    holder = ""
    if len(holders) <= 2 and all(holders):
        holder = join_safe(holders, _PLACE_LENGTH).removeprefix("self.").removeprefix("this.")
        holder += "s" * (first.role == "definition" and len(group) > 1)
    elif first.role == "implemented":
        holder = format_count(len(holders), "type")
    if first.role == "setting" and len(group) > 1:
        holder, new, template = _list_settings(group, template)
    fields = {"new": new, "old": old, "holder": holder}
    for word in ("to", "from", "of"):
        fields[word] = f" {word} {holder or where}" if holder or where else ""
    shown = dict.fromkeys(("in", "to_file", "from_file"), "")
    if where:
        shown = {"in": f" in {where}", "to_file": f" to {where}", "from_file": f" from {where}"}
    texts = [template.format(**fields, **shown)]
    if first.role not in _PLACED:
        texts.append(template.format(**fields, **dict.fromkeys(shown, "")))
    if first.role == "import-source":
        texts.append(f"{template.partition(' ')[0]} {holder} from {new}")
    texts = [text for text in texts if len(text) <= _TEXT_LENGTH] or texts
    # What is around it may say more of the type.
    types = () if about > lines and first.role != "option" else find_types(first)
    kind = group[0][0].file.kind
    if (first.role in _PROSE and kind not in (SOURCE, TESTS, DOCUMENTATION)) or (
        first.role == "link" and kind != DOCUMENTATION
    ):
        # Comments of configuration are no documentation, nor are the texts of a program.
        types = ()
    return Statement(list(dict.fromkeys(texts)), Kind(_choose_prior(group, share), types=types), share)


def _list_settings(group: Sequence[Sequence[Claim]], template: str) -> tuple[str, str, str]:
    """Return the keys of several settings, the value that all of them have, and the template for these."""
    first = group[0][0].edit
    names = list(dict.fromkeys(make_printable(same[0].edit.holder, _OBJECT_LENGTH) for same in group))
    # Of more than a sentence lists, the first ones.
    shown = join_names(names if len(names) <= _OBJECTS + 1 else [*names[:2], f"{len(names) - 2} more"])
    if all(same[0].edit.new == first.new for same in group):
        return shown, _name(first.new, first), template
    return shown, "", template.replace(" to {new}", "")


def _choose_prior(group: Sequence[Sequence[Claim]], share: float) -> float:
    """Return how likely a reader is to keep what is said of edits of one role that are this share of a change."""
    first = group[0][0].edit
    if (first.role, first.act) == ("comment", "changed"):
        return _PRIOR_OF_COMMENTS
    if first.act == "came" and all(_PRIVATE.match(_find_introduced(same[0].edit)) for same in group):
        return _PRIOR_OF_PRIVATE
    if share >= _ALONE:
        return SAYINGS[first.role].prior
    if first.role in _DETAILS and share < _MOST:
        return _PRIOR_OF_DETAIL
    prior = SAYINGS[first.role].prior
    return min(prior, _PRIOR_BESIDE + _SLOPE * (prior - _PRIOR))


def _find_introduced(edit: Edit) -> str:
    """Return the name that a new field, also one that a class sets, or a parameter introduces, or an empty text."""
    if edit.role in ("setting", "assignment") and edit.place[:1].isupper():
        return edit.holder or edit.new
    return edit.new if edit.role in ("field", "parameter") else ""


def _choose_template(group: Sequence[Sequence[Claim]], saying: Saying) -> str:
    first = group[0][0].edit
    template: str = getattr(saying, first.act)
    if first.role == "setting" and first.holder.isupper() and group[0][0].file.kind == SOURCE:
        # A constant that is new has no value before.
        template = "add {holder}{to_file}"
    if first.role == "assignment" and not first.place and first.lines > 1:
        # What is made outside of a function, on several lines, is new.
        template = "add {new}{to_file}" if first.act == "came" else "remove {old}{from_file}"
    if first.role == "import-source" and first.text.lstrip().startswith(("export", "pub ")):
        template = template.replace("import", "export")
    if first.role == "value" and first.holder in ("if", "v-if", "x-if"):
        template = "change the condition{in}"
    if first.role == "argument" and first.act == "changed" and "=" not in first.new and len(first.new + first.old) < 40:
        template = "pass {new} instead of {old}{to}"
    if first.role == "helper" and (not first.place or first.holder.count(" ") > 1):
        template = "{holder}"
    if first.role == "function" and len(split_identifier(first.new or first.old)) > 1:
        template = template.replace("{to_file}", "")
    if first.role == "call" and not first.place and len(split_identifier(first.new or first.old)) > 2:
        template = template.replace("{in}", "")
    if first.role == "method":
        holders = {claim.edit.holder for claim in group[0]}
        if len(holders) > 2 or not all(map(_PATHS.fullmatch, holders)):
            template = template.replace(" on {holder}", "")
    if len(group) > 1 or (first.role in ("spelling", "link") and len(group[0]) > 1):
        for noun in _PLURALS:
            template = template.replace(f" {noun}", f" {noun}{'es' if noun == 'alias' else 's'}")
        template = template.replace("import of", "imports of")
    return template


def _list_names(edit: Edit, texts: Sequence[str]) -> str:
    if len(texts) > _OBJECTS:
        return format_count(len(texts), edit.role)
    return join_names([_name(text, edit) for text in texts])


def _name(text: str, edit: Edit) -> str:
    shown = make_printable(text, _OBJECT_LENGTH) if text else ""
    return f'"{shown}"' if edit.role in ("step", "name") and " " in shown else shown
