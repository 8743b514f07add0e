"""Verbs that summaries begin with, and the imperative of their other forms: `fix` of `fixes`, `fixed` and `fixing`."""

from __future__ import annotations

# Verbs by which the mood of a summary is judged: their forms are hardly ever anything but verbs there.
_JUDGED = {
    "add", "adjust", "allow", "apply", "avoid", "bump", "change", "check", "clean", "correct", "create", "deprecate",
    "describe", "disable", "document", "drop", "enable", "ensure", "extend", "extract", "fix", "format", "handle",
    "implement", "improve", "include", "increase", "introduce", "limit", "make", "merge", "migrate", "move", "optimize",
    "optimise", "pass", "prevent", "reduce", "refactor", "release", "remove", "rename", "reorder", "replace", "restore",
    "return", "revert", "rewrite", "show", "simplify", "skip", "sort", "split", "start", "stop", "support", "switch",
    "test", "tidy", "update", "upgrade", "use", "validate", "write",
}  # fmt: skip
# Forms of those verbs that are just as often other words, mostly nouns.
_AMBIGUOUS = {
    "changes", "checks", "documents", "formats", "formatted", "formatting", "limits", "merges", "moves", "passes",
    "releases", "returns", "starts", "stops", "switches", "supports", "tests", "updates", "upgrades", "uses",
}  # fmt: skip
# Verbs whose past is hardly ever an adjective, and those whose gerund is hardly ever a noun.
_FURTHER = {"clarify", "configure", "convert", "delete", "enhance", "modify", "resolve", "rework", "set"}
_IN_PROGRESS = {"add", "change", "fix", "improve", "make", "move", "refactor", "remove", "rename", "update", "use"}
# Words that can follow a noun, but no verb that has an object: `Updates to the guide`, `Tests are skipped`.
_AFTER_NOUNS = {"and", "are", "for", "from", "in", "is", "of", "on", "to", "was", "were", "with"}
# Further verbs that begin titles of tests, changelog entries and past summaries.
VERBS = _JUDGED | {
    "abort", "accept", "adapt", "adopt", "align", "annotate", "append", "assign", "assume", "attach", "await", "bind",
    "cache", "calculate", "call", "cancel", "capitalize", "capture", "catch", "categorize", "centralize", "choose",
    "clamp", "clarify", "clear", "close", "collapse", "collect", "combine", "compare", "compile", "compute",
    "configure", "connect", "consider", "consolidate", "construct", "continue", "convert", "copy", "cover", "declare",
    "decode", "decouple", "decrease", "dedupe", "deduplicate", "default", "defer", "define", "delay", "delegate",
    "delete", "deny", "deploy", "derive", "detect", "determine", "differentiate", "disallow", "disambiguate", "discard",
    "display", "distinguish", "downgrade", "eliminate", "embed", "emit", "emulate", "encode", "enforce", "enhance",
    "escape", "evaluate", "evict", "exclude", "execute", "exit", "expand", "expire", "explain", "export", "expose",
    "fail", "fall", "fetch", "filter", "finalize", "find", "flatten", "flush", "follow", "force", "forward",
    "generalize", "generate", "give", "guard", "harden", "hide", "hoist", "honor", "honour", "identify", "ignore",
    "import", "infer", "inherit", "initialise", "initialize", "inject", "inline", "insert", "install", "instantiate",
    "integrate", "intercept", "invalidate", "invert", "invoke", "isolate", "justify", "keep", "let", "link", "list",
    "load", "log", "look", "maintain", "mark", "match", "mention", "minimize", "mitigate", "modernize", "modify",
    "normalise", "normalize", "notify", "obtain", "omit", "open", "output", "override", "overwrite", "parallelize",
    "parse", "perform", "permit", "persist", "pick", "pin", "poll", "populate", "postpone", "prefer", "prepare",
    "prepend", "preserve", "print", "prioritize", "process", "produce", "promote", "propagate", "protect", "provide",
    "prune", "publish", "quote", "raise", "read", "rebuild", "receive", "recognise", "recognize", "recompute",
    "reconnect", "recover", "redact", "redirect", "refine", "reflect", "refresh", "refuse", "regenerate", "register",
    "reject", "relax", "reload", "relocate", "remap", "remember", "render", "reorganize", "repair", "report", "require",
    "reset", "resize", "resolve", "respect", "respond", "restart", "restrict", "retain", "retrieve", "retry", "reuse",
    "revise", "rewind", "reword", "rework", "run", "sanitize", "save", "scope", "seek", "select", "send", "separate",
    "serialise", "serialize", "serve", "set", "share", "shorten", "shrink", "silence", "simulate", "specify",
    "stabilize", "standardize", "store", "streamline", "strengthen", "strip", "submit", "substitute", "suppress",
    "swallow", "synchronize", "throttle", "throw", "tighten", "toggle", "tolerate", "track", "transform", "translate",
    "treat", "trim", "truncate", "try", "turn", "tweak", "unify", "unpin", "unset", "unwrap", "upload", "verify",
    "wait", "warn", "widen", "wrap", "yield",
}  # fmt: skip
_IRREGULAR = {
    "does": "do", "doesn't": "do not", "don't": "do not", "found": "find", "gave": "give", "has": "have", "hid": "hide",
    "kept": "keep", "made": "make", "ran": "run", "rewrote": "rewrite", "sent": "send", "threw": "throw",
    "written": "write", "wrote": "write",
}  # fmt: skip


def find_verb(text: str) -> str | None:
    """Return the verb that `text` begins with, in the imperative, or None if it begins with another word."""
    return find_base(text.partition(" ")[0].strip("`'\"").lower())


def find_base(word: str) -> str | None:
    """Return the imperative of the verb that `word`, in lower case, is a form of, or None if it is of none we know."""
    if word in VERBS or word in _IRREGULAR:
        return _IRREGULAR.get(word, word)
    for stem in list_stems(word):
        if stem in VERBS:
            return stem
    return None


def to_imperative(summary: str) -> str | None:
    """Return `summary` with its first verb in the imperative; None if it is already, or if the word is unknown."""
    word, space, rest = summary.partition(" ")
    verb = find_usual_verb(word.lower())
    if verb is None or word.lower() in (*_JUDGED, *_AMBIGUOUS):
        return None
    return verb + space + rest


def state_imperative(text: str) -> str | None:
    """Return the sentence `text` in the imperative and with a small letter; None if no verb is sure to begin it."""
    word, _, rest = text.partition(" ")
    lowered, following = word.lower(), rest.partition(" ")[0].lower()
    verb = find_base(lowered)
    if verb is None or not rest.strip() or word[1:] != lowered[1:]:
        return None
    if lowered == verb:
        return f"{verb} {rest}"
    if verb not in _JUDGED | _FURTHER or following in _AFTER_NOUNS:
        return None
    if lowered.endswith("ing") and verb not in _IN_PROGRESS:
        return None
    return f"{verb} {rest}"


def find_usual_verb(word: str) -> str | None:
    """Return the verb of which `word`, in lower case, is a form, if it is one by which a summary's mood is judged."""
    verb = find_base(word)
    return verb if verb in _JUDGED and word not in _AMBIGUOUS else None


def list_stems(word: str) -> list[str]:
    """Return what `word` may be a form of: a third person, a past tense or a participle."""
    if word.endswith(("ies", "ied")):
        return [word[:-3] + "y"]
    for ending in ("ing", "ed"):
        if word.endswith(ending):
            stem = word.removesuffix(ending)
            # The last letter may be doubled, as in `stopped`.
            return [stem, stem + "e", stem[:-1]]
    if word.endswith("es"):
        return [word[:-2], word[:-1]]
    if word.endswith("s"):
        return [word[:-1]]
    return []
