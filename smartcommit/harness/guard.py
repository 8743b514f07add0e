"""Refuses an agent's command by its plain words: what goes around git's hooks, or takes or loses lines of others.

One table has git's verbs, and what is named in no verb is a few names. `shell` divides the command line and expands
nothing. So a command that hides its words, in a function or a script, is not refused; `afterwards` sees what it did.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Mapping, Sequence

from smartcommit.coding_agent import SESSIONS, SIGNS
from smartcommit.git.query import Place, ask, locate
from smartcommit.harness.products import PATIENCE
from smartcommit.harness.shell import SHELLS, split_commands
from smartcommit.message.characters import list_some, printable
from smartcommit.processes.git_calls import NAMING, STASH_VERBS, GitCall, enter, read_call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from smartcommit.git.repo import Repository

# Characters of a command that are read.
_CHARACTERS_READ = 50_000
# Paths that a refusal names.
_PATHS_SHOWN = 3
# Texts that one command line may run as commands, as `eval` does.
_TEXTS_RUN = 100
# What a refusal proposes instead.
_DOCTOR = "smartcommit doctor"


class Refusal(Exception):
    """Why a command is refused, in one line, and what to run instead: `{session}` stands for the session's id."""

    def __init__(self, reason: str, following: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.next = following


# Variables that switch hooks off by any value, or by the one named.
_SWITCHES = {
    "HUSKY": "0", "LEFTHOOK": "0", "SKIP": None, "HUSKY_SKIP_HOOKS": None, "LEFTHOOK_EXCLUDE": None, "PREK_SKIP": None,
    "PRE_COMMIT_ALLOW_NO_CONFIG": None, "PREK_ALLOW_NO_CONFIG": None, "OVERCOMMIT_DISABLE": None,
    "SKIP_SIMPLE_GIT_HOOKS": None, "SMARTCOMMIT_OFF": None, "SMARTCOMMIT_WARNINGS": None, "SMARTCOMMIT_EXECUTION": None,
    "GIT_CONFIG_GLOBAL": None, "GIT_CONFIG_SYSTEM": None, "GIT_REFLOG_ACTION": None,
}  # fmt: skip
# By these the hooks know that an agent commits, and without them take it for a person.
_MARKS = frozenset((*SIGNS, *SESSIONS, "SMARTCOMMIT_CODING_AGENT"))
# What lets a variable hold for the commands that follow.
_DECLARING = frozenset(("export", "declare", "readonly", "typeset", "unset"))
# The refs that only git's commands for branches and the stash may write, as git or a pattern names them.
_OWN_REFS = ("head", "refs/heads", "refs/stash", "refs/*")
# Configuration that says which hooks run; for one command, that may be in a file too.
_PROTECTED = ("core.hookspath", "hook.", "smartcommit.off", "smartcommit.warnings", "smartcommit.codingagent")
_CONFIG_ACTIONS = frozenset(("edit", "get", "list", "remove-section", "rename-section", "set", "unset"))
_INCLUDING = (*_PROTECTED, "include")
# What a command can stand after.
_KEYWORDS = frozenset(("if", "then", "elif", "else", "do", "while", "until", "!", "{", "coproc"))
# Programs that run the text after `-c` as commands.
_TEXT_RUNNERS = frozenset((*SHELLS, "flock", "npx"))
# Programs that write none of their operands and run none of them here. Any other may, so what they name is judged.
_READING = frozenset((
    "[", "[[", "test", "for", "case", "echo", "printf", "cat", "bat", "head", "tail", "less", "more", "nl", "od", "xxd",
    "hexdump", "strings", "wc", "ls", "tree", "stat", "file", "du", "readlink", "realpath", "basename", "dirname",
    "diff", "cmp", "comm", "md5sum", "sha1sum", "sha256sum", "cksum", "grep", "egrep", "fgrep", "rg", "ag", "ack", "fd",
    "sort", "uniq", "cut", "tr", "jq", "which", "type", "man", "source", "shellcheck", "mkdir", "ssh", "docker",
))  # fmt: skip
# Programs that read, but with words that begin so.
_WRITING = {
    "awk": ("-i",),
    "chmod": ("-x", "a-", "a=", "u-", "u=", "ugo", "0", "4", "6"),
    "find": ("-delete", "-exec", "-fls", "-fprint", "-ok"),
    "gawk": ("-i",),
    "perl": ("-i", "-ni", "-pi"),
    "sed": ("-i", "-Ei", "-ni", "-ri", "-si", "--in-place"),
}
# Programs that write nothing and run the first of their words that is no option, number or variable.
_LAUNCHERS = frozenset(
    ("command", "doas", "env", "exec", "ionice", "nice", "nohup", "setsid", "stdbuf", "sudo", "time", "timeout")
)
# Programs that write only the last of their operands.
_COPYING = frozenset(("cp", "mv", "ln", "install", "rsync"))
# Programs that remove or replace all of them.
_REMOVING = frozenset(("rm", "rmdir", "unlink", "shred", "mv", "truncate", "tee", ">"))
# Where the ledger is kept, and the branches and the stash with their logs, in the folder of git.
_RECORDS = ("smartcommit", "HEAD", "refs/heads", "refs/stash", "packed-refs", "logs")
# What is in the path of a folder with hooks, or of git's configuration.
_NEAR_HOOKS = ("git", "hook", "husky")
# Programs that install hooks, and remove them by `uninstall`.
_HOOK_PROGRAMS = frozenset((
    "smartcommit", "smartcommit-hooks", "pre-commit", "pre_commit", "prek", "husky", "lefthook", "overcommit",
    "simple-git-hooks",
))  # fmt: skip
# Programs that are judged when another one runs them.
_LAUNCHED = frozenset((*SHELLS, *_LAUNCHERS, "eval", "git", *_READING, *_WRITING, *_COPYING, *_REMOVING))


def judge(text: str, *, directory: str, session: str) -> Refusal | None:
    """Return why the agent of `session` may not run the command `text` in `directory`; None if it may."""
    command_line = _CommandLine(os.path.normpath(directory), session)
    try:
        command_line.judge(text[:_CHARACTERS_READ])
    except Refusal as refusal:
        return refusal
    return None


class _CommandLine:
    """Judges a command line, command by command; `cd` and variables hold for those that follow.

    What is asked about the repository is asked once. Other repositories than that around the first directory are none
    of our business, but for its submodules.
    """

    def __init__(self, directory: str, session: str) -> None:
        self._start = directory
        self._directory = directory
        self._session = session
        self._variables: dict[str, str] = {}
        # The words that hide that an agent commits, such as `env -i`; they hold as long as variables.
        self._hiding = ""
        self._places: dict[str, Place | None] = {}
        self._foreign: dict[str, Sequence[str]] = {}
        self._protected: list[str] | None = None
        self._texts = 0

    def judge(self, text: str) -> None:
        """Raise Refusal if one of the commands in `text` must not run."""
        self._texts += 1
        if self._texts > _TEXTS_RUN:
            following = "the same commands, without 'eval' and 'sh -c' around them"
            raise Refusal("it runs too many commands within commands to be read", following)
        for words in split_commands(text):
            variables, hiding = dict(self._variables), self._hiding
            while words and (words[0] in _KEYWORDS or self._assign(words[0])):
                del words[0]
            if words:
                self._judge_program(words)
            if words and words[0] not in _DECLARING:
                self._variables, self._hiding = variables, hiding

    def _assign(self, word: str) -> bool:
        """Note what is assigned to a variable; return whether anything is."""
        name, equals, value = word.partition("=")
        if not equals or not name.isidentifier():
            return False
        self._variables[name] = value
        if name in _MARKS and value in ("", "no"):
            self._hiding = word
        return True

    def _judge_program(self, words: Sequence[str]) -> None:
        name = os.path.basename(words[0])
        if name == "eval":
            self.judge(" ".join(words[1:]))
        for option, text in itertools.pairwise(words[1:]):
            is_command = name in _TEXT_RUNNERS and option.startswith("-") and option.endswith(("c", "--command"))
            if is_command or (name == "env" and option in ("-S", "--split-string")):
                self.judge(text)
        if name in ("cd", "pushd"):
            self._directory = enter(self._directory, words[-1])
        elif name == "git":
            self._judge_git(words[1:])
        elif name in _REMOVING or name in _COPYING:
            self._judge_writing(name, words[1:])
        elif name in _WRITING:
            if any(word.startswith(_WRITING[name]) for word in words[1:]):
                self._judge_other(name, words)
        elif name not in _READING and name not in SHELLS:
            self._judge_other(name, words)

    def _judge_other(self, name: str, words: Sequence[str]) -> None:
        """Judge a program that may run another one, which it names."""
        if "uninstall" in words and not _HOOK_PROGRAMS.isdisjoint((name, *words)):
            raise Refusal(f"'{name} uninstall' removes the hooks", _DOCTOR)
        marks = _MARKS.intersection(word.rpartition("=")[2].removeprefix("-u") for word in words)
        if marks and (name in ("unset", "env") or not {"-n", "+x"}.isdisjoint(words)):
            self._hiding = f"{name} {min(marks)}"
        elif name == "env" and not {"-i", "-", "--ignore-environment"}.isdisjoint(words):
            self._hiding = "env -i"
        for number, (prior, word) in enumerate(itertools.pairwise(words), start=1):
            self._assign(word)
            if os.path.basename(word) in _LAUNCHED and (name != "find" or prior.startswith(("-exec", "-ok"))):
                self._judge_program(_give_operands(name, words[1:number], words[number:]))
                return
        operands = list(words[1:])
        if name in _LAUNCHERS:
            while operands and (operands[0][:1] in "-0123456789" or "=" in operands[0]):
                del operands[0]
            del operands[:1]
        self._judge_writing(name, operands)

    def _judge_writing(self, name: str, operands: Sequence[str]) -> None:
        """Refuse to write hooks or configuration, and to take away a working tree, or what git and the ledger keep."""
        # What is copied is only read: an edited hook has to be moved away for 'smartcommit install'.
        written = operands[-1:] if name in _COPYING else operands
        for operand in operands:
            named = operand.rpartition("=")[2].replace("$PWD", self._directory)
            try:
                path = os.path.realpath(os.path.join(self._directory, named))
            except ValueError:
                # No path has a null character or half of a character.
                continue
            shown = f"'{name}' on '{printable(operand)}'"
            # Nearly no program names such a path, so that git is not asked.
            is_near = any(part in path.removeprefix(self._start) for part in _NEAR_HOOKS)
            if operand in written and is_near and any(_is_within(path, place) for place in self._list_protected()):
                raise Refusal(f"{shown} may change which hooks run", _DOCTOR)
            is_worktree = os.path.lexists(os.path.join(path, ".git"))
            if name not in _REMOVING or not (is_worktree or f"{os.sep}.git" in path):
                continue
            own = self._locate(self._start)
            records = [os.path.join(own.common_dir, record) for record in _RECORDS] if own is not None else []
            is_record = any(_is_within(path, record) or _is_within(record, path) for record in records)
            # What a killed git has locked may be unlocked.
            if is_record and not path.endswith(".lock"):
                raise Refusal(f"{shown} takes the repository's records away", "git status")
            if is_worktree:
                self._refuse_harm(shown, "lose", self._list_foreign(path), "git worktree remove")

    def _list_protected(self) -> Sequence[str]:
        """Return the folder of the hooks, and git's configuration."""
        if self._protected is None:
            paths = ("--git-path", "hooks", "--git-path", "config", "--git-path", "config.worktree")
            _, listing = ask(("rev-parse", *paths), directory=self._start)
            self._protected = []
            for path in os.fsdecode(listing).split("\n")[:-1]:
                # husky's hooks are in the folder above.
                place = os.path.realpath(os.path.join(self._start, path.removesuffix("/_")))
                self._protected.append(place)
        return self._protected

    # git.

    def _judge_git(self, words: Sequence[str]) -> None:
        call = read_call(iter(words), self._directory, self._variables)
        if call is None:
            return
        kind = "".join(call.operands[:1])
        if call.verb.skips:
            _judge_hooks(call, self._variables)
        if call.name == "commit" and self._hiding:
            raise Refusal(f"'{self._hiding}' hides that an agent commits: leave it out", "git commit")
        if call.name == "config":
            self._judge_config(call)
        self._judge_refs(call)
        operands: Sequence[str] = call.operands
        if call.name == "stash" and kind in ("push", "save"):
            operands = operands[1:] if kind == "push" else ()
        if call.name == "submodule":
            self._judge_submodules(call, kind)
        elif call.name == "worktree" and kind == "remove":
            for operand in operands[1:]:
                self._judge_sweep(call, (), operand)
        elif call.name == "stash" and kind in ("drop", "clear") and self._find(call.directory) is not None:
            raise Refusal(f"'git stash {kind}' may lose what others have stashed", "git stash list")
        elif call.name != "worktree" and not (call.name == "stash" and kind in STASH_VERBS):
            self._judge_sweep(call, operands)
        if call.name == "rebase":
            self.judge(call.options.get("x", "") + call.options.get("exec", ""))

    def _judge_refs(self, call: GitCall) -> None:
        """Refuse to write a branch or the stash, or to drop its log, beside git's own commands for that."""
        operands = [operand.lower() for operand in call.operands]
        written: Sequence[str] = ()
        if call.name == "replace" and (operands or call.has("convert-graft-file")) and not call.has("l list"):
            raise Refusal("'git replace' puts another commit in the place of one", "git branch")
        if call.name == "update-ref" or (call.name == "symbolic-ref" and (operands[1:] or call.has("d delete"))):
            written = ["refs/*"] if call.has("stdin") else operands[:1]
        elif call.name == "reflog" and operands[:1] in (["expire"], ["delete"], ["drop"]):
            # Stashes are entries of a log, and commits that no branch has any more.
            written = () if call.has("n dry-run") else ["refs/*"]
        elif call.name in ("fetch", "pull", "push"):
            written = self._list_targets(call)
        if any(name.startswith(_OWN_REFS) for name in written):
            raise Refusal(f"'git {call.name}' writes a branch or the stash, or drops its log", "git branch")

    def _list_targets(self, call: GitCall) -> Sequence[str]:
        """Return the refs of this repository that `git fetch` or `git push` write by the words `FROM:TO`."""
        source = "".join(call.operands[:1]).removeprefix("file://").replace("$PWD", call.directory)
        own = self._locate(self._start)
        is_own = False
        if own is not None and source[:1] in ("/", "."):
            path = os.path.realpath(os.path.join(call.directory, source))
            place = self._locate(path)
            is_own = _is_within(path, own.common_dir) or (place is not None and place.common_dir == own.common_dir)
        targets = ["refs/*"] if call.has("stdin") else []
        for operand in call.operands[1:]:
            _, colon, target = operand.rpartition(":")
            if not target.startswith("refs/"):
                target = f"refs/heads/{target}"
            # From another repository branches come, but nothing that belongs into the stash.
            is_stash = call.name != "push" and target == "refs/stash"
            if (is_own or is_stash) and (colon or call.has("d delete")):
                targets.append(target)
        return targets

    def _judge_config(self, call: GitCall) -> None:
        """Refuse to say which hooks run."""
        names = [operand.lower() for operand in call.operands]
        actions = set(call.options)
        if names and names[0] in _CONFIG_ACTIONS:
            actions.add(names.pop(0))
        key = "".join(names[:1])
        if not actions.isdisjoint(("e", "edit")):
            key = key or "--edit"
            changes = not call.has("h help")
        elif not actions.isdisjoint(("remove-section", "rename-section")):
            changes = any(name.partition(".")[0] in ("core", "hook", "smartcommit") for name in names)
        elif not actions.isdisjoint(("unset", "unset-all")):
            changes = key.startswith("hook.") or (key == "core.hookspath" and self._has_hooks_elsewhere())
        else:
            reads = not actions.isdisjoint(("get", "get-all", "get-regexp", "list", "l"))
            changes = key.startswith(_PROTECTED) and len(names) > 1 and not reads
        if changes:
            raise Refusal(f"'git config {key}' changes which hooks run", _DOCTOR)

    def _has_hooks_elsewhere(self) -> bool:
        """Whether a hook runs that is not in git's own folder: if not, to unset `core.hooksPath` may mend."""
        own = self._locate(self._start)
        return own is not None and not _list_hooks(self._list_protected()[0]) <= _list_hooks(f"{own.common_dir}/hooks")

    def _judge_submodules(self, call: GitCall, kind: str) -> None:
        place = self._locate(call.directory)
        if place is None:
            return
        before = self._directory
        asked = ("config", "--file", ".gitmodules", "-z", "--get-regexp", r"^submodule\..*\.path$")
        for entry in self._list(place.worktree, *asked):
            self._directory = os.path.join(place.worktree, entry.partition("\n")[2])
            if kind == "foreach":
                self.judge(" ".join(call.operands[1:]))
            elif kind in ("update", "deinit"):
                self._judge_sweep(call, (), self._directory)
        self._directory = before

    def _judge_sweep(self, call: GitCall, operands: Sequence[str], below: str = "") -> None:
        """Refuse to work on files with lines of others, which `operands` name; it is all without them."""
        verb, directory = call.verb, os.path.join(call.directory, below)
        if not verb.harm or call.has(verb.never) or (verb.only and not call.has(verb.only)):
            return
        # The index alone.
        if call.name == "restore" and call.has("S staged") and not call.has("W worktree"):
            return
        if call.has(verb.everything) and not (call.name == "add" and operands):
            operands = [":/"]
        if not operands and call.name in NAMING:
            return
        foreign = self._list_foreign(directory)
        if foreign:
            swept = self._list_taken(call, directory, operands)
            at_stake = [path for path in foreign if path in swept]
            if call.name == "clean" and not operands and not at_stake:
                # What others make while the command line runs is in no look, so that nothing brings it back.
                shown = printable(foreign[0])
                raise Refusal(
                    f"'git clean' may lose what others, who have lines in '{shown}', make meanwhile", verb.next
                )
            foreign = at_stake
        self._refuse_harm(f"'git {call.name}'", verb.harm, foreign, verb.next)

    def _refuse_harm(self, command: str, harm: str, foreign: Sequence[str], following: str) -> None:
        if foreign:
            shown = list_some([printable(item) for item in foreign], _PATHS_SHOWN)
            raise Refusal(f"{command} would {harm} lines of others: {shown}", following)

    # The repository.

    def _locate(self, directory: str) -> Place | None:
        if directory not in self._places:
            self._places[directory] = locate(directory)
        return self._places[directory]

    def _find(self, directory: str) -> Repository | None:
        place, own = self._locate(directory), self._locate(self._start)
        if place is None or own is None:
            return None
        if place.common_dir != own.common_dir and not place.common_dir.startswith(f"{own.common_dir}/modules/"):
            return None
        # What only few commands need takes long to load: so here and below.
        from smartcommit.git.repo import Repository

        return Repository.at(place)

    def _list_foreign(self, directory: str) -> Sequence[str]:
        """Return the paths with uncommitted lines of others, relative to the top level of their working tree."""
        if directory in self._foreign:
            return self._foreign[directory]
        paths: list[bytes] = []
        repository = self._find(directory)
        if repository is not None:
            from smartcommit.session.ledger import Ledger

            with Ledger(repository, patience=PATIENCE) as ledger:
                paths = ledger.list_foreign_paths(self._session)
        self._foreign[directory] = [os.fsdecode(path) for path in paths]
        return self._foreign[directory]

    def _list_taken(self, call: GitCall, directory: str, operands: Sequence[str]) -> Sequence[str]:
        # What is not staged, `git reset --merge` keeps. Source: git-reset(1), "Discussion".
        if (call.name == "commit" and not operands) or (call.name == "reset" and not call.has("hard")):
            return self._list(directory, "diff", "--cached", "--name-only", "-z")
        keeps_untracked = call.name == "commit"
        if call.name == "add":
            keeps_untracked = call.has("u update") and not call.has("A all")
        elif call.name == "restore":
            keeps_untracked = not call.has("s source")
        elif call.name in ("reset", "checkout"):
            # Another commit may have a file of that name.
            keeps_untracked = all(operand in ("HEAD", ".", ":/") for operand in call.operands)
        kinds = ["--cached"] if keeps_untracked else ["--cached", "--others"]
        if call.name == "clean":
            kinds = ["--others"]
        options = ("-z", "--full-name", "--exclude-standard", *kinds, "--", *(operands or [":/"]))
        return self._list(directory, "--glob-pathspecs", "ls-files", *options)

    def _list(self, directory: str, *arguments: str) -> Sequence[str]:
        _, printed = ask(arguments, directory=directory)
        return [part for part in os.fsdecode(printed).split("\0") if part]


def _give_operands(launcher: str, before: Sequence[str], launched: Sequence[str]) -> list[str]:
    """Return the words of a program with what `find` and others give it for `{}`; `xargs` can give it any file."""
    given = [":/"]
    if launcher == "find":
        expression = next((number for number, word in enumerate(before) if word[:1] in ("-", "!")), len(before))
        given = list(before[:expression]) or ["."]
        if os.path.basename(launched[0]) in _REMOVING:
            given = _list_names(before, given) or given
    words: list[str] = []
    for word in launched:
        if launcher == "find" and word in (";", "+"):
            return words
        words += given if "{}" in word else [word]
    if launcher == "xargs" and words == list(launched):
        words += given
    return words


def _list_names(expression: Sequence[str], folders: Sequence[str]) -> list[str]:
    """Return what `find` finds by its names, as if it were in its folders; empty if it finds other things, too."""
    names = []
    for prior, (option, name) in zip(("", *expression), itertools.pairwise(expression), strict=False):
        if option in ("-name", "-iname") and prior not in ("!", "-not"):
            names.append(name)
    if len(names) <= sum(word in ("-o", "-or") for word in expression):
        return []
    return [os.path.join(folder, name) for folder, name in itertools.product(folders, names)]


def _list_hooks(folder: str) -> set[str]:
    names = os.listdir(folder) if os.path.isdir(folder) else []
    return {name for name in names if not name.endswith(".sample")}


def _is_within(path: str, folder: str) -> bool:
    return f"{path}{os.sep}".startswith(f"{folder}{os.sep}")


def _judge_hooks(call: GitCall, variables: Mapping[str, str]) -> None:
    for option in call.options:
        # Options can be abbreviated.
        abbreviated = "no-verify".startswith(option) and len(option) > len("no-ver")
        if option in call.verb.skips.split() or abbreviated:
            shown = "-n" if option == "n" else f"--{option}"
            raise Refusal(f"'git {call.name} {shown}' skips the repository's hooks: leave it out", call.verb.next)
    for setting in call.settings:
        if setting.lower().startswith(_INCLUDING):
            raise Refusal(f"'-c {setting.partition('=')[0]}' changes which hooks run: leave it out", call.verb.next)
    for name, value in variables.items():
        configures = name.startswith("GIT_CONFIG_") and any(key in value.lower() for key in _INCLUDING)
        switches = name in _SWITCHES and value and value == (_SWITCHES[name] or value)
        if configures or switches:
            raise Refusal(f"'{name}' changes which hooks run: leave it out", call.verb.next)
