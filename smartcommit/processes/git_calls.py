"""Reads a command line of git: its verb, and by the table of verbs which words are options, values and operands."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from smartcommit.record import Record

_COMMIT = "smartcommit session commit --session {session}"
_STATUS = "smartcommit session status --session {session}"


class Verb(Record):
    """A command of git. Options are separated by blanks, and written without their dashes."""

    # Options that take a value, and letters that take one in the same word.
    values: str = ""
    attached: str = ""
    # Options that skip hooks.
    skips: str = ""
    # With one of these, or without operands, it works on all files, otherwise on those that its operands name.
    everything: str = ""
    # It works on files only with one of these, if there are any, and with none of `never`.
    only: str = ""
    never: str = ""
    # What it does to the uncommitted lines of the files, `take` or `lose`; empty for nothing.
    harm: str = ""
    # What is proposed instead.
    next: str = _STATUS


# Source: git 2.55, `builtin/`.
_VERBS = {
    "commit": Verb(
        values="m F C c t message file author date trailer template cleanup fixup squash reuse-message reedit-message "
        "pathspec-from-file",
        attached="u S", skips="n no-verify", harm="take", everything="a all pathspec-from-file",
        never="dry-run p patch interactive",
        next=_COMMIT,
    ),
    "add": Verb(
        values="chmod pathspec-from-file", harm="take",
        everything="A all u update renormalize no-ignore-removal pathspec-from-file",
        never="n dry-run p patch i interactive e edit N intent-to-add refresh", next=_COMMIT,
    ),
    "stash": Verb(values="m message pathspec-from-file", never="p patch", harm="lose"),
    "reset": Verb(only="hard merge", everything="hard", never="p patch", next="git reset --keep", harm="lose"),
    "checkout": Verb(
        values="b B orphan conflict pathspec-from-file", everything="f force pathspec-from-file",
        never="b B orphan p patch", harm="lose",
    ),
    "switch": Verb(
        values="c C orphan conflict", only="f force discard-changes", everything="f force discard-changes",
        next="git switch", harm="lose",
    ),
    "restore": Verb(values="s source conflict", never="p patch", everything="pathspec-from-file", harm="lose"),
    "clean": Verb(
        values="e exclude", only="f force", never="n dry-run i interactive", next="git clean -n", harm="lose",
    ),
    "rm": Verb(only="f force", never="cached n dry-run", everything="pathspec-from-file", harm="lose"),
    "read-tree": Verb(values="prefix", only="reset", everything="u", harm="lose"),
    "checkout-index": Verb(values="prefix stage", only="f force", everything="a all", harm="lose"),
    "merge": Verb(values="m F s X message file strategy strategy-option into-name", skips="no-verify"),
    "pull": Verb(values="s X strategy strategy-option", skips="no-verify"),
    "push": Verb(values="o push-option repo receive-pack exec", skips="no-verify", next="git push"),
    "am": Verb(values="C p directory exclude include patch-format", skips="n no-verify"),
    "rebase": Verb(values="x exec s X C onto strategy strategy-option", skips="no-verify"),
    "update-ref": Verb(values="m"),
    "symbolic-ref": Verb(values="m"),
    "replace": Verb(values="format"),
    "reflog": Verb(),
    "fetch": Verb(values="o j depth deepen shallow-since shallow-exclude refmap upload-pack jobs server-option"),
    "config": Verb(values="f file blob type default comment value url"),
    "worktree": Verb(only="f force", next="git worktree remove", harm="lose"),
    "submodule": Verb(only="f force", harm="lose"),
}  # fmt: skip
_SYNONYMS = {"stage": "add"}
STASH_VERBS = frozenset(
    ("apply", "branch", "clear", "create", "drop", "export", "import", "list", "pop", "show", "store")
)
# Verbs that do nothing without operands.
NAMING = frozenset(("add", "checkout", "restore", "rm", "checkout-index"))
# git's own options that take a value in the next word.
_GIT_VALUES = ("-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env", "--exec-path")


class GitCall(Record):
    """A command line of git in `directory`: options are without dashes, their values are lines."""

    name: str
    verb: Verb
    directory: str
    settings: list[str]
    options: dict[str, str]
    operands: list[str]

    def add_option(self, name: str, value: str) -> None:
        self.options[name] = f"{self.options.get(name, '')}\n{value}"

    def has(self, names: str) -> bool:
        return not self.options.keys().isdisjoint(names.split())


def read_call(words: Iterator[str], directory: str, variables: Mapping[str, str]) -> GitCall | None:
    """Return what the words after `git` mean, None if no verb of the table."""
    settings = []
    places = {"--git-dir": variables.get("GIT_DIR", ""), "--work-tree": variables.get("GIT_WORK_TREE", "")}
    name = next(words, "")
    while name.startswith("-"):
        option, _, value = name.partition("=")
        if option in _GIT_VALUES and not value:
            value = next(words, "")
        if option == "-C":
            directory = enter(directory, value)
        elif option in ("-c", "--config-env"):
            settings.append(value)
        elif option in places:
            places[option] = value
        name = next(words, "")
    name = _SYNONYMS.get(name, name)
    if name not in _VERBS:
        return None
    directory = enter(directory, places["--work-tree"] or os.path.dirname(places["--git-dir"]))
    call = GitCall(name, _VERBS[name], directory, settings, {}, [])
    values = call.verb.values.split()
    for word in words:
        if word == "--":
            call.operands += words
        elif word[:1] != "-" or word == "-":
            call.operands.append(word)
        elif word.startswith("--"):
            option, equals, value = word[2:].partition("=")
            # Options can be abbreviated.
            if not equals and any(len(name) > 1 and name.startswith(option) for name in values):
                value = next(words, "")
            call.add_option(option, value)
        else:
            for number, letter in enumerate(word[1:], start=2):
                value = word[number:]
                if letter in values:
                    value = value or next(words, "")
                call.add_option(letter, value)
                if letter in values or letter in call.verb.attached:
                    break
    return call


def enter(directory: str, path: str) -> str:
    """Return a directory below or beside another one; where that is not known, it is most often the same."""
    path = path.replace("$PWD", directory)
    if "$" in path:
        return directory
    return os.path.normpath(os.path.join(directory, path))
