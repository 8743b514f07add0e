"""Verbs at a summary's start that are not in the imperative: a table, so that nothing is guessed."""

from __future__ import annotations

_VERBS = (
    "add", "adjust", "allow", "apply", "avoid", "bump", "change", "check", "clean", "correct", "create", "deprecate",
    "disable", "document", "drop", "enable", "ensure", "extend", "extract", "fix", "format", "handle", "implement",
    "improve", "include", "increase", "introduce", "limit", "make", "merge", "migrate", "move", "optimize", "optimise",
    "pass", "prevent", "reduce", "refactor", "release", "remove", "rename", "reorder", "replace", "restore", "return",
    "revert", "rewrite", "show", "simplify", "skip", "sort", "split", "start", "stop", "support", "switch", "test",
    "tidy", "update", "upgrade", "use", "validate", "write",
)  # fmt: skip
_IRREGULAR = {"made": "make", "rewrote": "rewrite", "wrote": "write", "splitting": "split", "written": "write"}
# Words that are plural nouns as often as verbs.
_NOUNS = ("changes", "checks", "documents", "formats", "limits", "merges", "moves", "passes", "releases", "returns",
          "starts", "stops", "switches", "supports", "tests", "updates", "upgrades", "uses")  # fmt: skip
_DOUBLED = ("drop", "skip", "stop")


def imperative(summary: str) -> str | None:
    """`summary` with its first verb in the imperative, or None where it is or where the word is not in the table."""
    word, space, rest = summary.partition(" ")
    verb = _forms().get(word.lower())
    return None if verb is None else verb + space + rest


def _forms() -> dict[str, str]:
    forms = dict(_IRREGULAR)
    for verb in _VERBS:
        stem = verb.removesuffix("e")
        if verb in _DOUBLED:
            stem += verb[-1]
        if verb.endswith("y") and verb[-2] not in "aeiou":
            forms[verb[:-1] + "ied"], forms[verb[:-1] + "ies"] = verb, verb
        else:
            forms[stem + "ed"] = verb
            forms[verb + ("es" if verb.endswith(("s", "x", "ch", "sh")) else "s")] = verb
        forms[stem + "ing"] = verb
    return {form: verb for form, verb in forms.items() if form not in _VERBS and form not in _NOUNS}
