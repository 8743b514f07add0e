"""The repository's own hooks on the messages of a split, run where each commit is about to be made."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace

from smartcommit import files
from smartcommit.errors import GitError, SplitError
from smartcommit.git.fast_import import Identity, WrittenCommit
from smartcommit.git.grep import matches
from smartcommit.git.isolation import Config
from smartcommit.git.query import parse_boolean
from smartcommit.git.repo import Repository
from smartcommit.git.snapshot import Snapshot
from smartcommit.message.checks import find_errors
from smartcommit.message.cleanup import strip_space
from smartcommit.message.rules import Rules
from smartcommit.processes.run import find_shell
from smartcommit.settings import MESSAGE_HOOKS
from smartcommit.setup.git_hooks import DIRECT, GitHooks, HookEntry, list_files
from smartcommit.setup.hook_scripts import MODULES
from smartcommit.split.apply import Prepared
from smartcommit.split.checkout import Checkout, make_temporary_checkout
from smartcommit.split.plan import SplitPlan

# Bytes that a message may have.
_SIZE_LIMIT = 1 << 20
# What git passes to a hook after the message file. Source: githooks(5).
_ARGUMENTS = {"prepare-commit-msg": ["message"], "commit-msg": []}
# Where npm keeps the programs that many hooks start; git does not track it.
_PROGRAMS = "node_modules"
_STATUS = (
    "status", "--porcelain=v2", "--branch", "-z", "--untracked-files=all", "--no-renames", "--no-ahead-behind",
    "--ignore-submodules=none",
)  # fmt: skip
# What turns Gerrit's hook off.
_GERRIT_SETTING = "gerrit.createChangeId"


class MessageHooks:
    """Those of the hooks `wanted` that git would run on a message, in its order.

    If ours is the only one for an event, it is not run: a split checks the rules itself. The others run as in
    `git commit -m`, in a checkout where the commit is about to be made, and may change the message and nothing else.
    """

    def __init__(self, repository: Repository, wanted: Sequence[str]) -> None:
        self._commands: dict[str, list[str]] = {}
        if not wanted:
            return
        hooks = GitHooks(repository)
        for name in MESSAGE_HOOKS:
            entries = [entry for entry in hooks.list_entries(name) if entry.idle is None]
            others = [entry for entry in entries if not _is_ours(entry, name)]
            if name not in wanted or not others:
                continue
            if any(entry.scope is not None for entry in entries):  # git's configuration has hooks, too
                self._commands[name] = ["git", "-c", f"core.hooksPath={hooks.directory}", "hook", "run", name, "--"]
            else:
                # As git does, the shell also runs a script that does not name its interpreter.
                self._commands[name] = [find_shell(), "-c", 'exec "$0" "$@"', os.path.join(hooks.directory, name)]

    @property
    def names(self) -> list[str]:
        return list(self._commands)

    def run(self, prepared: Prepared, identity: Identity, rules: Rules, complain: Callable[[str], None]) -> SplitPlan:
        """Return the plan of `prepared` with the messages as the hooks have changed them.

        `complain` is called with the end of the output of a hook that fails. Raise SplitError if a hook fails or
        changes anything else, or if `rules` reject a message.
        """
        commits = []
        with make_temporary_checkout(prepared.snapshot) as repository:
            checkout = _HookCheckout(repository, prepared.snapshot, identity)
            parent = prepared.snapshot.base
            for written, planned in zip(prepared.commits, prepared.plan.commits, strict=True):
                checkout.stage(written, parent, planned.message)
                about = f"the message '{planned.subject}'"
                for name in self._commands:
                    self._run_hook(checkout, name, about, complain)
                message = checkout.read_message()
                if message is None:
                    raise _make_refusal(f"the repository's hooks leave nothing to record of {about}")
                if broken := find_errors(message, rules, search=matches):
                    rule = f"rule '{broken[0].code}': {broken[0].text}"
                    raise _make_refusal(f"the repository's hooks make {about} break {rule}")
                commits.append(replace(planned, message=message))
                parent = written.commit
        return replace(prepared.plan, commits=tuple(commits))

    def _run_hook(self, checkout: _HookCheckout, name: str, about: str, complain: Callable[[str], None]) -> None:
        before = checkout.read_state()
        status, output = checkout.run([*self._commands[name], checkout.message_file, *_ARGUMENTS[name]])
        if status != 0:
            if output:
                complain("\n".join(output))
            raise _make_refusal(f"the hook '{name}' fails with status {status} for {about}")
        after = checkout.read_state()
        changed = [what for what in {**before, **after} if before.get(what) != after.get(what)]
        if not after:
            changed = ["the git directory"]
        if changed:
            raise _make_refusal(f"the hook '{name}' changes not only {about}, but also {changed[0]}")


def _is_ours(entry: HookEntry, name: str) -> bool:
    return entry.name == DIRECT or (entry.scope is not None and MODULES[name] in entry.text)


def _make_refusal(text: str) -> SplitError:
    return SplitError(text, hint="nothing was changed; mend the hook, or add '--run-hooks=' to run none")


class _HookCheckout(Checkout):
    """A temporary checkout in which each commit of a split in turn is staged; `message_file` has its message."""

    def __init__(self, repository: Repository, snapshot: Snapshot, identity: Identity) -> None:
        super().__init__(repository)
        self._user = snapshot.run.repository
        self._identity = identity
        git_dir = repository.git_dir
        person, _, time_and_zone = os.fsdecode(identity.author).rpartition("> ")
        name, _, address = person.rpartition(" <")
        self.message_file = os.path.join(git_dir, "COMMIT_EDITMSG")
        self.environment |= {
            # As in a linked worktree; no hook can mistake the user's repository for this one.
            "GIT_DIR": git_dir, "GIT_INDEX_FILE": os.path.join(git_dir, "index"), "GIT_PREFIX": "", "GIT_EDITOR": ":",
            "GIT_AUTHOR_NAME": name, "GIT_AUTHOR_EMAIL": address, "GIT_AUTHOR_DATE": f"@{time_and_zone}",
        }  # fmt: skip
        if snapshot.branch is not None:
            self.repository.run("symbolic-ref", "HEAD", f"refs/heads/{snapshot.branch}")
        self._is_on_branch = snapshot.branch is not None
        # A hook for all repositories runs the repository's own.
        files.link(os.path.join(self._user.common_dir, "hooks"), os.path.join(git_dir, "hooks"))
        os.makedirs(os.path.join(git_dir, "info"), exist_ok=True)
        with open(os.path.join(git_dir, "info", "exclude"), "w", encoding="ascii") as file:
            file.write(f"/{_PROGRAMS}\n")

    def stage(self, made: WrittenCommit, parent: str | None, message: str) -> None:
        """Check out the files of the commit `made`, staged upon `parent`, with the `message` for them."""
        self.repository.run("read-tree", "--reset", "-u", made.tree)
        if parent is not None:
            options = [] if self._is_on_branch else ["--no-deref"]
            self.repository.run("update-ref", *options, "HEAD", parent)
        programs, link = os.path.join(self._user.worktree, _PROGRAMS), os.path.join(self.path, _PROGRAMS)
        if os.path.isdir(programs) and not os.path.lexists(link):
            files.link(programs, link)
        with open(self.message_file, "wb") as file:
            file.write(self._identity.encode(message)[0])

    def read_state(self) -> dict[str, bytes]:
        """Return the states of HEAD, files and references, by their names for the user; none if git fails."""
        try:
            status, references = self.repository.run(*_STATUS), self.repository.run("for-each-ref")
        except GitError:
            return {}
        states: dict[str, bytes] = {}
        for record in status.split(b"\0")[:-1]:
            kind, _, rest = record.partition(b" ")
            # Before the path a changed file has seven more fields, an unmerged one nine. Source: git-status(1).
            path = rest.split(b" ", {b"1": 7, b"u": 9}.get(kind, 0))[-1]
            name = "HEAD" if kind == b"#" else f"the file '{os.fsdecode(path)}'"
            states[name] = states.get(name, b"") + record
        return {**states, "references": references}

    def read_message(self) -> str | None:
        """Return the message as git would record it; None if it is empty, too large or not there."""
        try:
            with open(self.message_file, "rb") as file:
                data = file.read(_SIZE_LIMIT + 1)
        except OSError:
            return None
        text = strip_space(data, b"").text
        if not text or len(data) > _SIZE_LIMIT or b"\0" in text:
            return None
        return text.decode(self._identity.encoding or "utf-8", "surrogateescape")


def has_gerrit_hook(repository: Repository, config: Config) -> bool:
    """Whether git would run Gerrit's hook, and it is not switched off; at most one process.

    `config` has git's settings. The hook may be one that another hook runs, such as pre-commit's or ours.
    """
    settings = dict(config)
    if parse_boolean(settings.get(_GERRIT_SETTING.lower(), "true")) is False:
        return False
    usual = os.path.join(repository.common_dir, "hooks")
    directory = repository.hooks_path() if "core.hookspath" in settings else usual
    for entry in list_files("commit-msg", directory):
        if entry.idle is None and _GERRIT_SETTING in entry.text and "Change-Id" in entry.text:
            return True
    return False
