"""Refuses an agent's command by its plain words: what goes around git's hooks, or takes or loses lines of others.

One table has git's verbs, and what is named in no verb is a few names. No shell is interpreted, so a command that hides
its words is not refused; `afterwards` sees what it did.
"""

from __future__ import annotations

import os

from smartcommit.git.query import ask, is_shadow, locate
from smartcommit.harness.words import Command, Word, list_texts, split
from smartcommit.message.characters import printable
from smartcommit.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from smartcommit.git.repo import Repository

# Characters of a command that are read, and commands within the quotes of others.
_LENGTH, _DEPTH = 50_000, 6
_SHOWN = 3
# Seconds to wait for the ledger.
_PATIENCE = 5.0
_DOCTOR = "smartcommit doctor"
_COMMIT, _STATUS = "smartcommit session commit --session {session}", "smartcommit session status --session {session}"


class Refusal(Record):
    """Why a command is refused, in one line, and what to run instead: `{session}` stands for the session's id."""

    reason: str
    next: str


class Others:
    """What is asked about the repository around `directory`, if a command depends on it.

    Paths are relative to the top level of the working tree in which the command works. That may be another one of the
    repository, or a submodule; what is in other repositories is not asked.
    """

    def __init__(self, directory: str, session: str) -> None:
        self._place = locate(directory)
        self._session = session
        self._foreign: dict[str, Sequence[str]] = {}

    def list_foreign(self, directory: str) -> Sequence[str]:
        """Return the paths with uncommitted lines of others; git is asked once for each directory."""
        if directory not in self._foreign:
            self._foreign[directory] = self._find_foreign(directory)
        return self._foreign[directory]

    def _find_foreign(self, directory: str) -> Sequence[str]:
        repository = self._find(directory)
        if repository is None:
            return ()
        # What only few commands need takes long to load: so here and below.
        from smartcommit.session.ledger import open_ledger

        with open_ledger(repository, patience=_PATIENCE) as ledger:
            return list(map(os.fsdecode, ledger.has_foreign_lines(self._session)))

    def list_matching(
        self, directory: str, pathspecs: Sequence[str], *, is_pattern: bool = False, untracked: bool = False
    ) -> Sequence[str]:
        """Return the paths that match, as the shell's patterns do if that `is_pattern`; only `untracked` ones if so."""
        command = ["ls-files", "-z", "--full-name", "--others", "--exclude-standard"]
        if is_pattern:
            command.insert(0, "--glob-pathspecs")
        if not untracked:
            command.append("--cached")
        return self._list(directory, *command, "--", *pathspecs)

    def list_staged(self, directory: str) -> Sequence[str]:
        """Return the paths that are staged."""
        return self._list(directory, "diff", "--cached", "--name-only", "-z")

    def list_foreign_stashes(self, directory: str) -> Sequence[int]:
        """Return the numbers of the stashes that no session has made."""
        repository = self._find(directory)
        if repository is None:
            return ()
        from smartcommit.harness.afterwards import list_own_stashes

        own = list_own_stashes(repository)
        stashes = self._list(directory, "log", "-z", "--walk-reflogs", "--format=%H", "refs/stash", "--")
        return [number for number, stash in enumerate(stashes) if stash not in own]

    def find_common_dir(self) -> str:
        """Return the git directory that all worktrees share, empty outside of a repository."""
        if self._place is None:
            return ""
        return self._place.common_dir

    def list_submodules(self) -> Sequence[str]:
        """Return the directories of the submodules."""
        if self._place is None:
            return ()
        top = self._place.worktree
        listed = self._list(top, "config", "--file", ".gitmodules", "-z", "--get-regexp", r"^submodule\..*\.path$")
        return [os.path.join(top, entry.partition("\n")[2]) for entry in listed]

    def _find(self, directory: str) -> Repository | None:
        place = locate(directory)
        if place is None or self._place is None or is_shadow(place):
            return None
        own = self._place.common_dir
        if place.common_dir != own and not place.common_dir.startswith(os.path.join(own, "modules", "")):
            return None
        from smartcommit.git.repo import Repository

        return Repository.at(place)

    def _list(self, directory: str, *arguments: str) -> list[str]:
        _, printed = ask(arguments, directory=directory)
        return list(filter(None, os.fsdecode(printed).split("\0")))


class Verb(Record):
    """A command of git.

    `values` are the options that take a value, `attached` the letters that take one in the same word, and `skips` the
    options that skip hooks. With one of the options `everything`, or without operands, it works on all files, otherwise
    on those that its operands name; only with one of the options `only`, if there are any, and with none of `never`.
    `harm` is what it does to uncommitted lines then, empty for nothing. `next` is what is proposed.
    """

    values: str = ""
    attached: str = ""
    skips: str = ""
    everything: str = ""
    only: str = ""
    never: str = ""
    harm: str = ""
    next: str = _STATUS


# Source: git 2.55, `builtin/`. Options are written without their dashes.
_VERBS = {
    "commit": Verb(
        values="m F C c t message file author date trailer template cleanup fixup squash reuse-message reedit-message",
        attached="u S", skips="n no-verify", harm="take", everything="a all", never="dry-run p patch interactive",
        next=_COMMIT,
    ),
    "add": Verb(
        values="chmod", harm="take", everything="A all u update renormalize no-ignore-removal pathspec-from-file",
        never="n dry-run p patch i interactive e edit N intent-to-add refresh", next=_COMMIT,
    ),
    "stash": Verb(values="m message", never="p patch", harm="lose"),
    "reset": Verb(only="hard merge", everything="hard merge", never="p patch", next="git reset --keep", harm="lose"),
    "checkout": Verb(values="b B orphan conflict", everything="f force", never="b B orphan p patch", harm="lose"),
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
    "cherry-pick": Verb(values="m X mainline strategy strategy-option", skips="no-verify"),
    "revert": Verb(values="m X mainline strategy strategy-option", skips="no-verify"),
    "update-ref": Verb(values="m"),
    "config": Verb(values="f file blob type default comment value url"),
    "worktree": Verb(only="f force", next="git worktree remove", harm="lose"),
    "submodule": Verb(only="f force", harm="lose"),
}  # fmt: skip
# Verbs that do nothing without operands.
_NAMING = frozenset(("add", "checkout", "restore", "rm", "checkout-index"))
# git's own options that take a value in the next word.
_GIT_VALUES = ("-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env", "--exec-path")
# Variables that switch hooks off by any value, or by the one named.
_SWITCHES = {
    "HUSKY": "0", "LEFTHOOK": "0", "SKIP": None, "HUSKY_SKIP_HOOKS": None, "LEFTHOOK_EXCLUDE": None, "PREK_SKIP": None,
    "PRE_COMMIT_ALLOW_NO_CONFIG": None, "PREK_ALLOW_NO_CONFIG": None, "OVERCOMMIT_DISABLE": None,
    "SKIP_SIMPLE_GIT_HOOKS": None, "SMARTCOMMIT_OFF": None, "SMARTCOMMIT_WARNINGS": None, "SMARTCOMMIT_EXECUTION": None,
    "GIT_CONFIG_GLOBAL": None, "GIT_CONFIG_SYSTEM": None,
}  # fmt: skip
_PROTECTED = ("core.hookspath", "hook.", "smartcommit.off", "smartcommit.warnings")
# What may have them, too, for one command.
_INCLUDING = (*_PROTECTED, "include")
# What a command can stand after, and of these and of shells what runs the text after `-c`, or `-S` of `env`.
_KEYWORDS = frozenset(("if", "then", "elif", "else", "do", "while", "until", "!", "{", "time", "coproc"))
_LAUNCHERS = frozenset(
    ("sudo", "env", "nice", "ionice", "nohup", "timeout", "command", "builtin", "exec", "xargs", "find", "setsid")
)
_SHELLS = frozenset(("sh", "bash", "dash", "zsh", "ksh", "eval", "trap"))
_LAUNCHED = frozenset((*_SHELLS, "git", "rm"))
# Programs that remove, replace or disable their operands, and where hooks are.
_REMOVING = frozenset(("rm", "rmdir", "unlink", "shred", "mv", "truncate", "tee"))
_HOOK_PLACES = (".git/hooks", ".husky", ".githooks")
_UNINSTALLS = frozenset(("smartcommit", "pre-commit", "prek", "husky", "lefthook", "overcommit", "simple-git-hooks"))


def judge(text: str, *, directory: str, session: str) -> Refusal | None:
    """Return why an agent's command line `text` may not run in `directory`, None if it may."""
    judging = _Judging(os.path.normpath(directory), session)
    try:
        judging.judge(text[:_LENGTH])
    except _Refused as refused:
        return refused.refusal
    return None


class _Refused(Exception):
    def __init__(self, reason: str, following: str) -> None:
        self.refusal = Refusal(reason, following)


class Call(Record):
    """A command line of git in `directory`: options without their dashes, each with its values, and operands.

    `settings` are those of `-c`.
    """

    name: str
    verb: Verb
    directory: str
    settings: list[str]
    options: dict[str, list[str]]
    operands: list[Word]

    def has(self, names: str) -> bool:
        """Whether one of these options is given."""
        return not self.options.keys().isdisjoint(names.split())

    def narrow(self, operands: list[Word], directory: str) -> Call:
        """Return the same with other operands, in another directory."""
        return Call(self.name, self.verb, directory, self.settings, self.options, operands)


class _Judging:
    """The judgement of a command line, command by command; `cd` and `export` hold for those that follow."""

    def __init__(self, directory: str, session: str) -> None:
        self._start = directory
        self._session = session
        self._directory = directory
        self._asked: Others | None = None
        self._exported: dict[str, str] = {}
        self._depth = 0
        self._has_stashed = False

    @property
    def _others(self) -> Others:
        """What is asked of the repository; few commands depend on it."""
        if self._asked is None:
            self._asked = Others(self._start, self._session)
        return self._asked

    def judge(self, text: str) -> None:
        """Raise _Refused if one of the commands in `text` must not run."""
        if self._depth == _DEPTH:
            return
        self._depth += 1
        for command in split(text):
            if any(map(_is_hook, command.written)):
                raise _Refused("this writes over one of the repository's hooks", _DOCTOR)
            words = list(command.words)
            variables = dict(self._exported)
            while words and (words[0].text in _KEYWORDS or _is_assignment(words[0])):
                _assign(words.pop(0), variables)
            if words and not self._take_builtin(words):
                self._judge_program(words, variables, command)
        self._depth -= 1

    def _take_builtin(self, words: Sequence[Word]) -> bool:
        """Take over what a command of the shell means for those that follow; return whether it is one."""
        name = words[0].text
        if name in ("cd", "pushd") and len(words) > 1 and words[-1].is_known:
            self._directory = os.path.normpath(os.path.join(self._directory, words[-1].text))
        if name in ("export", "declare"):
            for word in words[1:]:
                _assign(word, self._exported)
        return name in ("cd", "pushd", "export", "declare")

    def _judge_program(self, words: Sequence[Word], variables: dict[str, str], command: Command) -> None:
        """Judge a program; what a launcher starts is the first one after it that is named here."""
        name = os.path.basename(words[0].text)
        if name in _LAUNCHERS:
            for number, word in enumerate(words[1:], start=1):
                _assign(word, variables)
                if words[number - 1].text == "-S" or word.text.startswith("--split-string="):
                    self.judge(word.text.removeprefix("--split-string="))
                if os.path.basename(word.text) in _LAUNCHED:
                    self._judge_program(words[number:], variables, command)
                    return
        elif name in _SHELLS:
            self._judge_shell(name, list_texts(words[1:]), variables, command)
        elif name == "git":
            self._judge_git(words[1:], variables)
        else:
            if name in _REMOVING:
                self._judge_records(name, list_texts(words[1:]))
            _judge_removal(name, list_texts(words[1:]))

    def _judge_records(self, name: str, texts: Sequence[str]) -> None:
        """Refuse to remove what git, or the ledger, has of this repository."""
        for text in texts:
            try:
                path = os.path.realpath(os.path.join(self._directory, text))
            except ValueError:
                # No path has a null character or half of a character.
                continue
            if f"{os.sep}.git" not in path:
                continue
            git_dir = os.path.realpath(self._others.find_common_dir())
            if path == git_dir or f"{path}{os.sep}".startswith(os.path.join(git_dir, "smartcommit", "")):
                raise _Refused(f"'{name}' on '{printable(text)}' takes the repository's records away", "git status")

    def _judge_shell(self, name: str, texts: Sequence[str], variables: Mapping[str, str], command: Command) -> None:
        """Judge the text that a shell is given, as an argument or as input."""
        exported, self._exported = self._exported, dict(variables)
        if name in ("eval", "trap"):
            self.judge(" ".join(texts))
        elif all(text.startswith("-") for text in texts):
            self.judge(command.stdin)
        for number, text in enumerate(texts[1:]):
            if texts[number].startswith("-") and texts[number].endswith("c"):
                self.judge(text)
        self._exported = exported

    # git.

    def _judge_git(self, words: Sequence[Word], variables: Mapping[str, str]) -> None:
        call = _read_call(words, self._directory)
        if call is None:
            return
        kind = _get_text(call.operands, 0)
        if call.verb.skips:
            _judge_hooks(call, variables)
        if call.name == "config":
            _judge_config(call)
        elif call.name == "update-ref":
            _judge_update(kind)
        elif call.name == "stash":
            self._judge_stash(call, kind)
        elif call.name == "submodule":
            self._judge_submodules(call, kind)
        elif call.name == "worktree":
            self._judge_worktrees(call, kind)
        else:
            self._judge_sweep(call)
        if call.name == "rebase":
            self.judge("\n".join((*call.options.get("x", ()), *call.options.get("exec", ()))))

    def _judge_stash(self, call: Call, kind: str) -> None:
        if kind in ("drop", "clear", "pop"):
            foreign = self._others.list_foreign_stashes(call.directory)
            number = "0"
            if len(call.operands) > 1:
                number = call.operands[1].text.removeprefix("stash@{").removesuffix("}")
            if kind == "pop" and number == "0" and self._has_stashed:
                return
            if foreign and (kind == "clear" or not number.isdigit() or int(number) in foreign):
                raise _Refused(f"'git stash {kind}' would lose what others have stashed", "git stash list")
        elif kind == "push":
            self._judge_sweep(call.narrow(call.operands[1:], call.directory))
        elif kind in ("", "save"):
            self._judge_sweep(call.narrow([], call.directory))
        self._has_stashed = self._has_stashed or kind in ("", "push", "save")

    def _judge_worktrees(self, call: Call, kind: str) -> None:
        if kind == "remove":
            for word in call.operands[1:]:
                self._judge_sweep(call.narrow([], os.path.join(call.directory, word.text)))

    def _judge_submodules(self, call: Call, kind: str) -> None:
        before = self._directory
        for directory in self._others.list_submodules():
            self._directory = directory
            if kind == "foreach":
                self.judge(" ".join(list_texts(call.operands[1:])))
            elif kind in ("update", "deinit"):
                self._judge_sweep(call.narrow([], directory))
        self._directory = before

    def _judge_sweep(self, call: Call) -> None:
        """Refuse to work on files with lines of others."""
        verb, directory = call.verb, call.directory
        if not verb.harm or call.has(verb.never) or (verb.only and not call.has(verb.only)):
            return
        # The index alone.
        if call.name == "restore" and call.has("S staged") and not call.has("W worktree"):
            return
        everything = call.has(verb.everything) and not (call.name == "add" and call.operands)
        pathspecs = [word.text for word in call.operands if word.is_known]
        if not everything and not pathspecs and (call.operands or call.name in _NAMING):
            return
        foreign = list(self._others.list_foreign(directory))
        if not foreign:
            return
        taken: Sequence[str] = foreign
        if call.name == "clean" or (pathspecs and not everything):
            is_pattern = any(word.is_pattern for word in call.operands)
            untracked = call.name == "clean"
            taken = self._others.list_matching(directory, pathspecs, is_pattern=is_pattern, untracked=untracked)
        elif call.name == "commit" and not everything:
            taken = self._others.list_staged(directory)
        foreign = [path for path in foreign if path in taken]
        if foreign and _keeps_untracked(call):
            # What is staged as deleted, and untracked, is in HEAD.
            staged = self._others.list_staged(directory)
            kept = self._others.list_matching(directory, [":/"], untracked=True)
            foreign = [path for path in foreign if path in staged or path not in kept]
        if foreign:
            shown = ", ".join(map(printable, foreign[:_SHOWN]))
            if len(foreign) > _SHOWN:
                shown += f" and {len(foreign) - _SHOWN} more"
            raise _Refused(f"'git {call.name}' would {verb.harm} lines of others: {shown}", verb.next)


def _keeps_untracked(call: Call) -> bool:
    """Whether a sweep takes and writes no untracked file; another commit may have a file of that name."""
    if call.name == "add":
        return call.has("u update") and not call.has("A all")
    if call.name == "restore":
        return not call.has("s source")
    if call.name in ("reset", "checkout"):
        return all(text in ("HEAD", ".", ":/") for text in list_texts(call.operands))
    return call.name == "commit"


def _is_assignment(word: Word) -> bool:
    return "=" in word.text and word.text.partition("=")[0].isidentifier()


def _assign(word: Word, variables: dict[str, str]) -> None:
    if _is_assignment(word):
        name, _, value = word.text.partition("=")
        variables[name] = value


def _read_call(words: Sequence[Word], directory: str) -> Call | None:
    """Read what follows `git`; return None if it is no verb of the table."""
    settings = []
    at = 0
    while _get_text(words, at).startswith("-"):
        option, _, value = words[at].text.partition("=")
        if option in _GIT_VALUES and not value:
            at += 1
            value = _get_text(words, at)
        if option == "-C":
            directory = os.path.normpath(os.path.join(directory, value))
        elif option in ("-c", "--config-env"):
            settings.append(value)
        at += 1
    name = _get_text(words, at)
    if name == "stage":
        name = "add"
    if name not in _VERBS:
        return None
    call = Call(name, _VERBS[name], directory, settings, {}, [])
    _read_arguments(call, words[at + 1 :])
    return call


def _read_arguments(call: Call, words: Sequence[Word]) -> None:
    at = 0
    while at < len(words):
        text = words[at].text
        at += 1
        if text == "--":
            call.operands += words[at:]
            return
        if not text.startswith("-") or text == "-":
            call.operands.append(words[at - 1])
        elif _read_option(call, text, _get_text(words, at)):
            at += 1


def _get_text(words: Sequence[Word], at: int) -> str:
    """Return the text of a word, empty after the last one."""
    return "".join(list_texts(words[at : at + 1]))


def _read_option(call: Call, text: str, following: str) -> bool:
    """Read the options in a word; return whether the word `following` is a value."""
    values = call.verb.values.split()
    if text.startswith("--"):
        name, equals, value = text[2:].partition("=")
        takes = name in values and not equals
        call.options.setdefault(name, []).append(following * takes + value)
        return takes
    for number, letter in enumerate(text[1:], start=2):
        rest = text[number:]
        call.options.setdefault(letter, []).append(rest or following)
        if letter in values:
            return not rest
        if letter in call.verb.attached.split():
            break
    return False


def _judge_hooks(call: Call, variables: Mapping[str, str]) -> None:
    """Refuse to skip hooks by an option, by configuration or by a variable."""
    skips = call.verb.skips.split()
    for option in call.options:
        # Options can be abbreviated.
        abbreviated = "no-verify".startswith(option) and len(option) > len("no-ver")
        if (option in skips or abbreviated) and not call.has("dry-run"):
            shown = "-n" if option == "n" else f"--{option}"
            raise _Refused(f"'git {call.name} {shown}' skips the repository's hooks: leave it out", call.verb.next)
    for setting in call.settings:
        if setting.lower().startswith(_INCLUDING):
            raise _Refused(f"'-c {setting.partition('=')[0]}' changes which hooks run: leave it out", call.verb.next)
    for name, value in variables.items():
        named = name.startswith("GIT_CONFIG_KEY_") and value.lower().startswith(_INCLUDING)
        listed = name == "GIT_CONFIG_PARAMETERS" and any(key in value.lower() for key in _INCLUDING)
        switches = name in _SWITCHES and value and value == (_SWITCHES[name] or value)
        if named or listed or switches:
            raise _Refused(f"'{name}' changes which hooks run: leave it out", call.verb.next)


def _judge_update(ref: str) -> None:
    """Refuse to write or delete a branch or the stash beside git's commands for them."""
    if ref.startswith("refs/heads/"):
        raise _Refused("'git update-ref' on a branch goes around the repository's hooks", "git branch")
    if ref == "refs/stash":
        raise _Refused("'git update-ref' would lose what others have stashed", "git stash list")


def _judge_config(call: Call) -> None:
    """Refuse to change which hooks run."""
    names = " ".join(list_texts(call.operands)).lower().split()
    removes = call.has("unset unset-all remove-section rename-section")
    if names and names[0] in ("set", "unset", "remove-section", "rename-section"):
        removes = removes or names[0] != "set"
        del names[0]
    reads = call.has("get get-all get-regexp list l") or "get" in names[:1]
    # To unset where hooks are is also what mends it, and is seen.
    if reads or len(names) < 2 - removes or (removes and names[0] == "core.hookspath"):
        return
    if names[0].startswith(_PROTECTED) or names[0] in ("core", "hook"):
        raise _Refused(f"'git config {names[0]}' changes which hooks run", _DOCTOR)


def _judge_removal(name: str, texts: Sequence[str]) -> None:
    """Refuse another program that takes hooks away."""
    # What 'smartcommit install' asks for where it refuses an edited hook.
    if name == "mv" and len(texts) == 2 and texts[1] == texts[0] + ".mine":
        return
    disables = name == "chmod" and bool(texts) and ("-x" in texts[0] or texts[0].endswith(("44", "00", "40")))
    for text in texts:
        if (name in _REMOVING or disables) and _is_hook(text):
            raise _Refused(f"'{name}' on '{printable(text)}' takes the repository's hooks away", _DOCTOR)
    uninstalls = "uninstall" in texts[:2] or "--uninstall" in texts
    if uninstalls and (name in _UNINSTALLS or "smartcommit" in " ".join(texts)):
        raise _Refused(f"'{name} uninstall' removes the hooks", _DOCTOR)


def _is_hook(path: str) -> bool:
    """Whether a path names hooks, or the directory that has them."""
    path = f"/{os.path.normpath(path)}/"
    return not path.endswith((".md/", ".sample/")) and any(f"/{place}/" in path for place in _HOOK_PLACES)
