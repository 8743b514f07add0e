"""The shell scripts that git runs as hooks of ours, without a framework."""

from __future__ import annotations

import hashlib
import os
import shlex
import sys
import sysconfig
from importlib.util import find_spec

from smartcommit.setup.plain_messages import write_acceptance

# The hooks that smartcommit has, each with its module.
MODULES = {
    "prepare-commit-msg": "smartcommit_hooks.prepare_commit_msg",
    "commit-msg": "smartcommit_hooks.commit_msg",
}
# What a commit goes without if the hook cannot run.
_MISSED = {"prepare-commit-msg": "no draft", "commit-msg": "message not checked"}
_MARK = "# Installed by 'smartcommit install'; 'smartcommit uninstall' restores what was here before."
# A hook that was here before is kept in this directory, by its own name, and one that pre-commit found has the ending.
KEPT = "before-smartcommit"
LEGACY = ".legacy"
# The ending of kept hooks in earlier versions.
FORMER = ".before-smartcommit"
# The hook that was here before; pre-commit may have renamed ours.
_RUN_BESIDE = """\
own="${{0%/*}}/{kept}/{name}"
if ! test -x "$own"; then own="${{0%/*}}/{name}{former}"; fi
if test -x "$own"; then
    "$own" "$@" || exit
fi
"""
# A hook directory for all repositories hides the hooks of each, so these are run from there.
_RUN_LOCAL = """\
common=.git
if test -n "$GIT_DIR" || ! test -d .git; then common="$(git rev-parse --git-common-dir)"; fi
hook="$common/hooks/{name}"
if test -x "$hook"; then
    if grep -q -s -F {mark} "$hook"; then exec "$hook" "$@"; fi
    "$hook" "$@" || exit
fi
"""
# Such a hook takes the place of what git does by itself, so one runs alone: here, the first that is found.
_RUN_ONE = """\
own="${{0%/*}}/{kept}/{name}"
if test -x "$own"; then exec "$own" "$@"; fi
hook="$(git rev-parse --git-common-dir)/hooks/{name}"
if test -x "$hook"; then exec "$hook" "$@"; fi
"""
# What git does if there is none. Source: push_to_deploy and run_proc_receive_hook of builtin/receive-pack.c.
_DEFAULTS = {
    "push-to-checkout": """\
head=HEAD
git rev-parse -q --verify HEAD >/dev/null || head="$(git hash-object -t tree /dev/null)"
refuse() { echo "$1" >&2; exit 1; }
git update-index -q --ignore-submodules --refresh || refuse "Up-to-date check failed"
git diff-files --quiet --ignore-submodules -- || refuse "Working directory has unstaged changes"
git diff-index --quiet --cached --ignore-submodules "$head" -- || refuse "Working directory has staged changes"
git read-tree -u -m "$1" || refuse "Could not update working tree to new HEAD"
""",
    "proc-receive": """\
echo "cannot find hook 'proc-receive'" >&2
exit 1
""",
}
# When `smartcommit_hooks.prepare_commit_msg` has nothing to do: starting Python takes longer than most commits.
DRAFT_NOTHING = """\
if test "$GIT_EDITOR" = : && test -n "$2"; then exit 0; fi
case "$2" in merge|squash|commit) exit 0 ;; esac
"""
_RUN_SMARTCOMMIT = """\
python={python}
gone="is gone"
if test -x "$python"; then
    "$python" -I -S -c {code} "$@" && exit
    status=$?
    if "$python" -I -S -c "" 2>/dev/null; then exit $status; fi
    gone="does not start"
fi
echo "smartcommit: $python $gone, {missed}; run 'smartcommit install' again" >&2
"""
# Neither `site` nor the environment's variables are needed, and the standard library comes first. A package that is
# gone or damaged, in part or in whole, must not stop a commit.
_CODE = """\
import sys
sys.path += {paths}
try:
    from {module} import main
    status = main({options})
except (ImportError, SyntaxError) as error:
    status = 0
    print(f"smartcommit: its package is gone or damaged, {missed}: {{error}}", file=sys.stderr)
    print("smartcommit: install it and run 'smartcommit install'", file=sys.stderr)
sys.exit(status)
"""


def write_hook(name: str, *, shared: bool = False, forwards: bool = False) -> bytes:
    """Return the script for git's hook `name`, which runs the hook that was here before and then ours.

    In a `shared` directory it runs the repository's own too; one that only `forwards` runs none of ours.
    """
    if name in _DEFAULTS:
        return _add_head((_RUN_ONE.format(kept=KEPT, name=name) + _DEFAULTS[name]).encode())
    parts = [_RUN_BESIDE.format(kept=KEPT, former=FORMER, name=name)]
    if shared:
        parts.append(_RUN_LOCAL.format(name=name, mark=shlex.quote(_MARK)))
    if not forwards:
        parts.append(_write_call(name))
    return _add_head("".join(parts).encode())


def _write_call(name: str, *, everywhere: bool = False) -> str:
    """Return the shell lines that run our hook `name`, told if it runs `everywhere`, in repositories without rules."""
    missed = _MISSED[name]
    options = "everywhere=True" if everywhere else ""
    code = shlex.quote(_CODE.format(paths=_list_paths(), module=MODULES[name], missed=missed, options=options))
    lines = _RUN_SMARTCOMMIT.format(python=shlex.quote(sys.executable), code=code, missed=missed)
    if name == "prepare-commit-msg":
        return DRAFT_NOTHING + lines
    return write_acceptance(sys.executable) + lines


def is_ours(path: str) -> bool:
    """Whether the file at `path` is one of our hooks."""
    try:
        with open(path, "rb") as file:
            return has_mark(file.read(4096))
    except OSError:
        return False


def has_mark(content: bytes) -> bool:
    """Whether `content` is that of one of our hooks, edited or not."""
    return _MARK.encode() in content[:4096]


def _add_head(body: bytes) -> bytes:
    """Return a script of ours, whose checksum shows whether somebody has edited it."""
    return b"#!/bin/sh\n%b\n# sha256: %b\n%b" % (_MARK.encode(), hashlib.sha256(body).hexdigest().encode(), body)


def is_unedited(content: bytes) -> bool:
    """Whether a script of ours is as we wrote it."""
    return content == _add_head(content.split(b"\n", 3)[-1])


def _list_paths() -> list[str]:
    """Return where the interpreter finds this installation and what it depends on."""
    standard = sysconfig.get_path("stdlib")
    found = []
    for name in ("smartcommit", "smartcommit_hooks"):
        spec = find_spec(name)
        assert spec is not None, "it is part of this installation"
        found.append(os.path.dirname(os.path.dirname(os.path.abspath(spec.origin or ""))))
    for path in sys.path:
        if os.path.isdir(path) and path not in (standard, os.path.join(standard, "lib-dynload")):
            found.append(os.path.abspath(path))
    return list(dict.fromkeys(found))


def write_command(name: str, *, everywhere: bool = False) -> str:
    """Return the shell text for git's configuration that runs our hook `name`.

    git appends ` "$@"` to it, which the comment at its end makes harmless.
    """
    return f"{_write_call(name)}#"
