"""Which edits are one, or follow from others, or only moved: each is told once.

A new name and its use are one edit, as are an import and its use, a parameter and its argument.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from re import match

from smartcommit.change.conditions import unwrap
from smartcommit.change.edits import OTHER, Edit
from smartcommit.change.facts import FileFacts
from smartcommit.change.filetypes import SOURCE, TESTS
from smartcommit.change.symbols import Symbol, keeps_body
from smartcommit.change.text import find_names, is_import, mentions, read_line, read_lines, squeeze
from smartcommit.change.wording import split_name
from smartcommit.draft.embedded.view import ChangeView, is_overload
from smartcommit.message.verbs import VERBS
from smartcommit.patterns import compile_on_use, list_words
from smartcommit.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from smartcommit.change.text import Side
    from smartcommit.git.diff import Hunk

# A line that gives a name its value.
_DECLARED = r"\s*(?:(?:let|const|var|val|auto|local|my|for)\s+)?(?:mut\s+)?{}(?:\s*[:,][^=]*)?\s*(?::?=(?!=)|\bin\b)"
RESULT_NAME = "result-name"  # the role of another name for what is called now
# Equal texts in a row.
_AGAIN = compile_on_use(r"\A(.+?)(?: \1)+\Z")
# A block with a condition, and conditions that can be repeated.
_TESTED = compile_on_use(r"\s*if\b")
_TEST = compile_on_use(r"(?!let\b|\()(?:::|[^;{}=:]){4,44}(?:[!=<>]=+ ?[^;{}=:]{1,20})?")
# What makes a value a longer list.
_ADDED_TO_LIST = compile_on_use(r"[,;|:] ?[\w./-]+(?::\w+)?")
# Roles of what something else follows from that has the name, the strongest first; of an import its use is said.
_INTRODUCING = (
    "option", "function", "definition", "parameter", "field", "setting", "assignment", "key", "import", "include",
    "variable", "callee",
)  # fmt: skip
# Roles of what is defined, of which the use is said with it, and of which the use alone is said.
_DEFINED = {"function", "definition", "variable", "constant"}
_USABLE = {"function", "setting"}
_USED = {"variable", "import", "include"}
# Roles of what follows from something that is new.
_FOLLOWING = list_words(
    f"{OTHER} annotated argument assignment attribute call check condition done field flag item key parameter setting "
    "value variable"
)
# Roles of which what came and what went make one edit.
_REPLACED = list_words("ignored item argument package import include annotation call")
# What of code is no news if the lines of the other side have it.
_AGAIN_ELSEWHERE = {
    ("key", "went"), ("key", "came"), ("assignment", "went"), ("assignment", "came"), ("environment", "came"),
    ("setting", "came"),
}  # fmt: skip
# Roles of what can move from one holder to another.
_MOVABLE = list_words("class field item key option setting step")
# Of what was not read, more lines than these do not follow from a new parameter, or value, that they have as well.
_LINES_FOLLOWING = 4
_BESIDE_BLOCKS = {"parameter", "setting"}
# Roles of what is called.
_CALLED = {"call", "called", "method"}
_NOTHING = {'""', "''", "[]", "{}"}  # what a new key has at first
# A line of an import on several lines.
_IMPORTED_NAME = compile_on_use(r"(?:type )?[\w$]+(?: as [\w$]+)?,?")
_NAME_LETTERS = 8  # of a name that is known again
# Verbs of functions that say only what these are for others, and words with which no sentence ends.
_VAGUE_VERBS = list_words(
    "add compute construct create do find generate give handle look make match obtain perform process retrieve return "
    "run select set test try update use"
)
_UNFINISHED = list_words("all and any as at by each for from if in into is it of on one only or self this to when with")
# Verbs that are often nouns or adjectives: `cache_key` is a key; and those that are seldom so, as in `load_time`.
_NOUNS = list_words(
    "abort allow bump cache call cancel catch change check clean clear close collapse copy correct default delay "
    "delegate deny display document drop exclude exit fall filter fix flush follow force format guard ignore import "
    "include keep limit link list log mark move open output override pass pick poll print produce quote redirect "
    "register release report reset retry reuse scope seek show skip sort split start stop store support switch "
    "throttle turn upgrade wait yield"
)
_SELDOM_NOUNS = list_words(
    "deploy embed escape expire fail insert install load merge publish raise read refresh render resize restart "
    "restore rewrite save send strip submit throw tidy transform trim upload warn wrap write"
)
# What belongs to an act rather than undergoes it, as in `parse_error`, and to what such nouns name, as in `log_levels`.
_OF_ACTS = list_words(
    "buffer button callback cb count delay dialog error exception fn flag func function handler icon interval limit "
    "listener lock mode option param queue result setting signal size speed state stat status task time timeout "
    "timer tree type"
)
_OF_NOUNS = list_words("code date dir entry field file id item key label level line list name path rule string value")


class Claim(Record):
    """An edit with its file, and the lines that it explains, with those of others that follow from it."""

    file: FileFacts
    edit: Edit
    lines: float


def join_related(claims: Sequence[Claim], view: ChangeView) -> list[Claim]:
    """Return the `claims` on all edits of a change, with new roles, those of one edit as one.

    What is no news gets the role OTHER, and what only moved `layout`; what follows from another edit is left out, and
    that has its lines.
    """
    _find_moved(claims)
    _find_awaited(claims)
    _mute_kept(claims, view)
    _mute_moved(claims)
    _join_settings(claims)
    replaced = _join_results(_replace(claims))
    joined = _join(_unite([claim for claim in replaced if claim.edit.role != "layout"]), view.helpers)
    _join_values(joined)
    _find_tests(joined)
    return [*joined, *[claim for claim in replaced if claim.edit.role == "layout"]]


def _replace(claims: Sequence[Claim]) -> list[Claim]:
    """Make one edit of the only thing that came to a holder and the only one that went from it."""
    kept: list[Claim] = []
    groups: dict[tuple[str, str, bytes], list[Claim]] = {}
    _find_sources(claims)
    for claim in claims:
        _read_parts(claim.edit)
        groups.setdefault((claim.edit.role, claim.edit.holder, claim.file.path), []).append(claim)
    for (role, _, _), same in groups.items():
        acts = sorted(claim.edit.act for claim in same)
        moved = {claim.edit.new for claim in same if claim.edit.act == "came"}
        moved &= {claim.edit.old for claim in same if claim.edit.act == "went"}
        for claim in same:
            # What moved neither came nor went.
            if role != "import-kept" and (claim.edit.new or claim.edit.old) in moved:
                claim.edit.role = "layout"
        if role in _REPLACED and acts == ["came", "went"]:
            came, went = sorted(same, key=lambda claim: claim.edit.act)
            came.edit.old, came.lines = went.edit.old, came.lines + went.lines
            kept.append(came)
        else:
            kept += same
    return kept


def _read_parts(edit: Edit) -> None:
    """Say of a value that is longer now what was added to it."""
    rest = edit.new.removeprefix(edit.old) if edit.role == "value" and edit.act == "changed" else ""
    if edit.old and rest != edit.new and _ADDED_TO_LIST.fullmatch(rest):
        edit.role, edit.old, edit.new = "item", "", rest.strip(",;|: ")
    elif edit.role == "directive":
        # Several lines of one statement have it.
        edit.old, edit.new = _AGAIN.sub(r"\1", edit.old), _AGAIN.sub(r"\1", edit.new)


def _find_sources(claims: Sequence[Claim]) -> None:
    """Say of a name that is imported from another module what that is, and where else in a file it is imported."""
    imports = [claim for claim in claims if claim.edit.role == "import"]
    for came in [claim for claim in imports if claim.edit.act == "came"]:
        for went in [claim for claim in imports if claim.edit.act == "went" and claim.file is came.file]:
            edit, other = came.edit, went.edit
            if edit.new != other.old:
                continue
            if bool(edit.place) != bool(other.place):
                edit.role, edit.old = "import-moved", edit.new
                edit.holder = f"into {edit.place}" if edit.place else f"out of {other.place}"
            elif edit.holder and other.holder and edit.holder != other.holder:
                edit.role, edit.old, edit.new, edit.holder = "import-source", other.holder, edit.holder, edit.new
            else:
                continue
            came.lines += went.lines
            other.role = OTHER
            went.lines = 0
            break
    for claim in imports:
        if claim.edit.role == "import" and claim.edit.act != "changed" and _is_imported_again(claim):
            claim.edit.role = "import-kept"


def _is_imported_again(claim: Claim) -> bool:
    """Whether the other side of a file imports the same, perhaps in a statement with others."""
    other: Side = "removed" if claim.edit.act == "came" else "added"
    lines = read_lines(claim.file.diff.hunks, other)
    imported = [line for line in lines if is_import(line) or _IMPORTED_NAME.fullmatch(line.strip())]
    return mentions("\n".join(imported), claim.edit.new or claim.edit.old)


def _mute_kept(claims: Sequence[Claim], view: ChangeView) -> None:
    """Say nothing of what was or is called elsewhere, and of definitions that only have another name."""
    renamed = {*view.renamed, *view.renamed.values()}
    gone = set(find_names("\n".join(view.removed)))
    worded = {claim.edit.come for claim in claims if claim.edit.role == "word"}
    replaced: set[str] = set()
    for edit in [claim.edit for claim in claims if claim.edit.role == "rename" and not _is_renamed(claim)]:
        edit.role = OTHER
        replaced.add(edit.new)
    for edit in [claim.edit for claim in claims]:
        is_told = edit.role in _DEFINED and (edit.new or edit.old) in renamed
        # What is another function has other parameters.
        if is_told or edit.holder in replaced:
            edit.role = OTHER
        elif edit.role in (*_CALLED, "printed") and edit.act == "went":
            names = find_names(edit.old or edit.holder)
            edit.role = OTHER if names and names[-1] in view.kept_names else edit.role
        elif edit.role in _CALLED and edit.act == "came":
            names = find_names(edit.new or edit.holder)
            edit.role = OTHER if names and names[-1] in gone | worded else edit.role
        elif edit.role == "callee":
            # What was called on other lines that went moved.
            last, other = (text.rpartition(".")[2] for text in (edit.new, edit.old))
            edit.role = OTHER if last != other and any(f"{last}(" in line for line in view.removed) else edit.role


def _is_renamed(claim: Claim) -> bool:
    """Whether what has the new name keeps what the old one stood for, as far as that is known."""
    edit, hunks = claim.edit, claim.file.diff.hunks
    after = edit.text.rstrip()
    for number, hunk in enumerate(hunks):
        lines = [read_line(line).rstrip() for line in hunk.removed]
        before = [line for line in lines if edit.old in find_names(line)]
        if before and after.encode() in [line.rstrip() for line in hunk.added]:
            return keeps_body(hunks, Symbol(edit.old, "", before[0], number), Symbol(edit.new, "", after, number))
    return True


def _mute_moved(claims: Sequence[Claim]) -> None:
    """Say nothing of what came in another form, or at another place, where it went, and of a part of what is new."""
    defined = [(claim.file.path, claim.edit) for claim in claims if claim.edit.role in _DEFINED]
    came, went = {(path, edit.new) for path, edit in defined}, {(path, edit.old) for path, edit in defined}
    for claim in claims:
        edit, hunks = claim.edit, claim.file.diff.hunks
        other: Side = "removed" if edit.act == "came" else "added"
        act, is_told = (edit.role, edit.act), _stays(edit, read_lines(hunks, other))
        if edit.role in ("item", "key") and edit.act == "went" and any(_is_beside(edit.text, hunk) for hunk in hunks):
            edit.role = "duplicate"
        elif act in _AGAIN_ELSEWHERE and (claim.file.kind == SOURCE or edit.role == "environment"):
            name = edit.new if edit.act == "came" else edit.old
            name = edit.holder if act == ("setting", "came") else name
            is_told = mentions("\n".join(read_lines(hunks, other)), name)
        elif edit.role == "key" and edit.act != "changed":
            # Of several entries with such a key, one lost it, or went itself; or it moved.
            is_told = any(_keeps_key(edit, hunk) for hunk in hunks)
        elif act == ("check", "went"):
            is_told = any(other.edit.role == "guard" and mentions(other.edit.new, edit.old) for other in claims)
        elif edit.role == "captured":
            # In a list, it had the capture of that.
            is_told = any((edit.new or edit.old) in line for line in read_lines(hunks, other) if "@" not in line)
        elif (edit.role == "section" or (edit.role == "item" and not edit.holder)) and edit.act != "changed":
            is_told = mentions("\n".join(read_lines(hunks, other)), edit.new or edit.old)
        elif edit.role in _DEFINED and edit.act != "changed":
            changed = [after.name for _, after in claim.file.symbols.changed]
            name = edit.old or edit.new
            is_told = name in changed or (claim.file.path, name) in (went if edit.act == "came" else came)
            if act == ("function", "came"):
                lines = [line for line in read_lines(hunks, "added") if f"{edit.new}(" in line]
                is_told = is_told or (bool(lines) and is_overload(claim.file, lines[0]))
        elif act in (("done", "went"), ("guard", "went")):
            # What it did with such a name is done elsewhere now, or its condition is a part of another one.
            elsewhere = "\n".join(read_lines(hunks, other))
            names = edit.names if edit.role == "done" else [edit.old.rpartition(" if ")[2]]
            if any(len(name) >= _NAME_LETTERS and mentions(elsewhere, name) for name in names):
                edit.role, edit.old, edit.new = OTHER, "lines", "lines"
        elif edit.role == "annotation":
            # It came with its function, which may have the name of another one.
            is_told = f" {edit.holder}(" in (edit.come or edit.gone)
        if is_told:
            edit.role = OTHER


def _stays(edit: Edit, lines: Sequence[str]) -> bool:
    """Whether a setting or new field is on a line of the other side, or a name is exported there in another way."""
    if edit.role == "field" and edit.act == "came":
        return any(mentions(line, edit.new) and squeeze(line) in squeeze(edit.text) for line in lines)
    if edit.role not in ("setting", "export") or edit.act == "changed":
        return False
    word, name = edit.holder if edit.role == "setting" else "export", edit.new or edit.old
    return any(mentions(line, word) and mentions(line, name) for line in lines)


def _find_moved(claims: Sequence[Claim]) -> None:
    """Say of what one holder, or one file, lost and another one got in the same line that it moved."""
    places: dict[tuple[str, str], list[Claim]] = {}
    for claim in claims:
        if claim.edit.role in _MOVABLE and claim.edit.act != "changed":
            line = "" if claim.edit.role == "class" else squeeze(claim.edit.text).rstrip(",;")
            name = claim.edit.holder if claim.edit.role == "setting" else claim.edit.new or claim.edit.old
            places.setdefault((name, line), []).append(claim)
    for same in places.values():
        came = [claim for claim in same if claim.edit.act == "came"]
        went = [claim for claim in same if claim.edit.act == "went"]
        if came and went and len({(claim.file.path, claim.edit.holder) for claim in same}) > 1:
            # Of a setting, nobody knows which section it is in now.
            is_known = len(same) == 2 and came[0].edit.role != "setting"
            for claim in same:
                claim.edit.role = OTHER
            if is_known:
                came[0].edit.role, came[0].edit.old = "moved-to", came[0].edit.new
                came[0].lines += went[0].lines
                went[0].lines = 0


def _find_awaited(claims: Sequence[Claim]) -> None:
    """Say of a call that moved and is awaited from now on no more than that."""
    calls = [claim.edit for claim in claims if claim.edit.role == "call"]
    for came in [edit for edit in calls if edit.act == "came"]:
        for went in [edit for edit in calls if edit.act == "went"]:
            if squeeze(came.text) == f"await{squeeze(went.text)}":
                came.role, came.holder, went.role = "await", came.new, "layout"


def _is_beside(text: str, hunk: Hunk) -> bool:
    """Whether a line that went stays directly above or below it: it stood there twice."""
    beside = [read_line(line) for line in (*hunk.before[-1:], *hunk.after[:1])]
    return len(hunk.removed) == 1 and text in beside and any(char.isalnum() for char in text)


def _keeps_key(edit: Edit, hunk: Hunk) -> bool:
    """Whether a key that went begins a line that stays in or around `hunk`, or one that came began a line that went."""
    lines = hunk.removed if edit.act == "came" else [*hunk.before, *hunk.after, *hunk.added]
    keys = [line.replace(b"=", b":").partition(b":")[0].strip(b" \t-\"'") for line in lines]
    return (edit.new or edit.old).encode() in keys


def _unite(claims: list[Claim]) -> list[Claim]:
    """Make one replacement of edits that put the same tokens in place of the same others."""
    pairs = {(claim.edit.gone, claim.edit.come) for claim in claims}
    names = {come for _, come in pairs}
    if len(pairs) > 1 and len(names) == 1 and all(gone.isidentifier() and come.isidentifier() for gone, come in pairs):
        for claim in claims:
            claim.edit.role, claim.edit.old, claim.edit.new, claim.edit.holder = "used", "name", claim.edit.come, ""
        return claims
    gone, come = pairs.pop() if len(pairs) == 1 and len(claims) > 1 else ("", "")
    roles = {claim.edit.role for claim in claims}
    if not gone or not come or " " in gone + come:
        return claims
    is_name = come.isidentifier() and come != "Self"
    is_declared = is_name and any(match(_DECLARED.format(come), claim.edit.text) for claim in claims)
    if len(roles) == 1 and not is_declared:
        return claims
    role = "rename" if is_declared or roles & {"rename", "parameter"} else "word"
    for claim in claims:
        claim.edit.role, claim.edit.old, claim.edit.new, claim.edit.holder = role, gone, come, ""
    return claims


def _join_values(claims: Sequence[Claim]) -> None:
    """Say of a key that has several new values that they changed: one of them would be half of it."""
    values: dict[str, set[str]] = {}
    for claim in claims:
        if claim.edit.role == "value":
            values.setdefault(claim.edit.holder, set()).add(claim.edit.new)
    for claim in claims:
        if claim.edit.role == "value" and len(values[claim.edit.holder]) > 1:
            claim.edit.role = "values"


def _join_settings(claims: Sequence[Claim]) -> None:
    """Say of a new key of code that has several values, or begins with nothing, that it is new."""
    settings: dict[str, set[str]] = {}
    _replace_rule(claims)
    edits = [claim.edit for claim in claims if claim.edit.role == "setting" and claim.file.kind == SOURCE]
    for edit in edits:
        settings.setdefault(edit.holder, set()).add(edit.new)
    for edit in edits:
        if edit.new in _NOTHING or len(settings[edit.holder]) > 1:
            edit.role, edit.new, edit.holder = "key", edit.holder, ""


def _join_results(claims: Sequence[Claim]) -> list[Claim]:
    """Leave out that a result has another name where another function is called for it, which has these lines."""
    kept = list(claims)
    for called in [claim for claim in claims if claim.edit.role == "callee"]:
        named: set[tuple[str, str]] = set()
        for claim in claims:
            edit = claim.edit
            is_result = claim.file is called.file and edit.text == called.edit.text and edit.role in ("word", "rename")
            if is_result and edit.come.isidentifier() and match(_DECLARED.format(edit.come), edit.text):
                named.add((edit.gone, edit.come))
        for claim in [claim for claim in kept if claim.file is called.file and claim is not called]:
            if (claim.edit.gone, claim.edit.come) in named:
                called.lines += claim.lines
                claim.edit.role = RESULT_NAME
                kept.remove(claim)
    return kept


def _find_tests(claims: Sequence[Claim]) -> None:
    """Say of a new block of code, or one that went, what its condition is."""
    for edit in [claim.edit for claim in claims if claim.edit.role == OTHER and claim.file.kind in (SOURCE, TESTS)]:
        test = edit.new or edit.old
        if edit.act != "changed" and _TESTED.match(edit.text):
            test = unwrap(test).strip()
            if _TEST.fullmatch(test) and test.count("(") == test.count(")"):
                edit.role = "conditional"
                edit.old, edit.new = (test, "") if edit.act == "went" else ("", test)


def _replace_rule(claims: Sequence[Claim]) -> None:
    """Say of a rule of a linter that is off beside another one that is on that it is replaced by that."""
    rules = [claim for claim in claims if claim.edit.role == "setting" and b"lint" in claim.file.path]
    levels = {claim.edit.new.strip("\"'"): claim for claim in rules}
    on, off = levels.get("error") or levels.get("warn"), levels.get("off")
    if len(rules) != 2 or on is None or off is None:
        return
    plugin = on.edit.holder.rpartition("/")[0] + "/"
    if not off.edit.holder.startswith(plugin):
        plugin = ""
    on.edit.old, on.edit.new = off.edit.holder.removeprefix(plugin), on.edit.holder.removeprefix(plugin)
    on.edit.role, on.edit.holder = "item", ""
    on.lines += off.lines
    off.edit.role = OTHER
    off.lines = 0


def _join(claims: list[Claim], helpers: Set[str]) -> list[Claim]:
    """Leave out what follows from another edit, whose lines it gets: the use of what is new, or the import of it."""
    for role in _INTRODUCING:
        for claim in [claim for claim in claims if claim.edit.role == role]:
            users = _find_users(claim, claims)
            is_left = claim.edit.role in _DEFINED and claim.edit.act == "went"
            takers = [user for user in users if is_left and _took_with_it(user, claim)]
            if takers:
                claim.edit.role = OTHER
                if takers[0].edit.role != OTHER:
                    takers[0].lines += claim.lines
                    claims = [other for other in claims if other is not claim]
                continue
            for user in users if role == "variable" else ():
                value = claim.edit.text.rstrip(" ;").endswith(user.edit.gone) and user.edit.gone
                if value and user.edit.come == claim.edit.new and claim in claims:
                    # What was a value has a name now.
                    claim.edit.role, claim.edit.holder = "constant", claim.edit.new
                    claim.lines += user.lines
                    claims = [other for other in claims if other is not user]
            if claim.edit.role == "constant":
                continue
            if users and role in _USED:
                # The value of a new variable is not said by its use.
                is_told = role != "variable" or claim.edit.act == "went"
                users[0].lines += claim.lines if is_told else 0
                claims = [other for other in claims if other is not claim]
            for user in users if role not in _USED else ():
                is_block = user.edit.role == OTHER and user.lines > _LINES_FOLLOWING
                is_larger = (role == "setting" and user.edit.role in _DEFINED) or (role in _BESIDE_BLOCKS and is_block)
                # What others can set is more than what it guards.
                is_guarding = user.edit.role == "guard" and role == "field" and claim.edit.new[:1].isupper()
                follows = user.edit.role in _FOLLOWING or role in _USABLE or is_guarding
                if follows and claim in claims and not is_larger:
                    claim.lines += user.lines
                    claims = [other for other in claims if other is not user]
                    is_value = user.edit.act == "changed" and squeeze(user.edit.gone) in squeeze(claim.edit.text)
                    if role == "setting" and is_value and claim.file.kind == SOURCE:
                        # What was a value has a name now.
                        claim.edit.role = "constant"
            if claim.edit.act == "came" and helpers & {claim.edit.new, claim.edit.holder}:
                _say_helper(claim, users)
    return claims


def _took_with_it(user: Claim, claim: Claim) -> bool:
    """Whether what used a definition that went is a larger block, or a function that went as well and is not its own.

    So `var supported bool` goes with `IsSupported`, which returns it.
    """
    if user.edit.role in (OTHER, "done"):
        return user.lines > claim.edit.lines
    is_own = (user.edit.new or user.edit.old) in claim.edit.names
    return user.edit.role == "function" and user.edit.act == "went" and not is_own


def _say_helper(claim: Claim, users: Sequence[Claim]) -> None:
    """Say of a function that others call what it does, if its name says that, as in `shorten_ids`; else nothing."""
    edit, words = claim.edit, split_name(claim.edit.new).split()
    is_said = edit.role == "function" and len(words) > 1 and words[0] in VERBS - _VAGUE_VERBS
    thing = words[-1].removesuffix("s")
    if is_said and words[0] in _NOUNS:
        # It is the act if it gets what that is done to, as in `sort_hosts(hosts)`.
        lines = [symbol.line for symbol in claim.file.symbols.added if symbol.name == edit.new]
        is_said = words[-1] in find_names(" ".join(lines)) and thing not in _OF_NOUNS
    is_said = is_said and (thing != words[-1] or words[0] not in _NOUNS | _SELDOM_NOUNS)
    edit.role = OTHER
    if is_said and _OF_ACTS.isdisjoint((thing, words[-1])) and words[-1] not in _UNFINISHED:
        edit.role, edit.holder = "helper", " ".join(words)
        places = {user.edit.place for user in users}
        edit.place = places.pop() if len(places) == 1 else ""


def _find_users(claim: Claim, claims: Sequence[Claim]) -> list[Claim]:
    edit = claim.edit
    name = (edit.holder if edit.role == "setting" else edit.new or edit.old).lstrip("-").replace("-", "_")
    names = edit.names if edit.role in ("import", "include") else {name, name.rpartition(".")[2]}
    found = []
    for other in claims:
        is_same_act = other.edit.act in (edit.act, "changed") and other.edit.role not in ("import", "include")
        spoken = other.edit.names | {other.edit.gone.partition(".")[0]} if edit.act == "went" else other.edit.names
        is_used = not names.isdisjoint(spoken) or (edit.role in _USABLE and mentions(other.edit.new, name))
        is_same = (other.edit.role, other.edit.old, other.edit.new) == (edit.role, edit.old, edit.new)
        is_of_call = (
            edit.role in ("callee", "function")
            and other.edit.role == "argument"
            and {edit.old, edit.new} & {other.edit.holder, other.edit.holder.rpartition(".")[2]}
        )
        if not is_same and ((is_same_act and is_used) or is_of_call):
            found.append(other)
    return found
