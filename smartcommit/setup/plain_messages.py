"""The shell lines by which our `commit-msg` accepts a plain message without starting Python.

A plain message is one line, a header with a default type and a summary in ASCII that names nothing of the change, by a
person in a repository where nothing sets other rules or changes what git records, and no file of ours waits for this
commit. What these lines accept, `smartcommit_hooks.commit_msg` accepts too, prints nothing and changes nothing; Python
decides about everything else.
"""

from __future__ import annotations

import shlex
import string

from smartcommit import coding_agent, state_files
from smartcommit.claims import staged
from smartcommit.config import NAMES
from smartcommit.message.rules import DEFAULT_TYPES, SUMMARY_LIMIT
from smartcommit.settings import KEYS

# The characters that a plain summary may have: printable ASCII, except those with a meaning in a bracket expression and
# those of names. They are listed one by one, because ranges and classes depend on the locale.
_PLAIN = string.ascii_letters + string.digits + " !\"#$%&'()*+,:;<=>?@{|}~-"
# What may be a claim, beside those characters: it is compared with the change.
_CLAIMS = "|".join(
    (
        '*::*|*--*|*"()"*',
        f"*[{string.ascii_lowercase}][{string.ascii_uppercase}]*",
        *(f"{verb.rstrip('e')}*" for verb in staged.VERBS),
        *(f"{verb.capitalize().rstrip('e')}*" for verb in staged.VERBS),
    )
)
_TYPES = tuple(name for name in DEFAULT_TYPES if name not in staged.TYPES)
# The settings that can change the verdict, for `git config --get-regexp`.
_SETTINGS = r"^(smartcommit\.|core\.comment|commit\.cleanup$|i18n\.commitencoding$)"
# What Python would drop once the refused commit was retried, what exempts a commit of the executor, and what Python
# writes into.
_STATE = (state_files.REFUSED, state_files.PROOF, state_files.RECEIPTS)

# `$1` is the line. A variable can make bash ignore case.
_HEADER = """\
is_plain_header() {{
    case a in A) return 1 ;; esac
    header="${{1%%: *}}"
    summary="${{1#*: }}"
    test "$1" = "$header: $summary" && test "${{#summary}}" -le {limit} || return 1
    case "$summary" in ""|" "*|*[!{plain}]*|{claims}) return 1 ;; esac
    header="${{header%!}}"
    scope=none
    case "$header" in
        *"("*")")
            scope="${{header#*"("}}"
            scope="${{scope%")"}}"
            header="${{header%%"("*}}"
            ;;
    esac
    case "$scope" in ""|[!{letters}]*|*[!{letters}{digits}-]*) return 1 ;; esac
    case "$header" in {types}) return 0 ;; esac
    return 1
}}
"""
# `$1` is the message file. Most shells drop the NUL bytes that they read, so the size of the file must be that of the
# line; Linux tells it, as the offset after the last byte that was read, without another process. In a locale where a
# character can take two bytes, ksh matches some bytes wrongly.
_FILE = """\
is_plain_file() {
    size=
    locale="${LC_ALL-}"
    test -f "$1" && test -r "$1" && {
        LC_ALL=C
        IFS= read -r line <&3 && is_plain_header "$line" && ! read -r rest <&3 &&
            { read -r key size </proc/self/fdinfo/3 || size=$(($(wc -c <"$1"))); }
    } 2>/dev/null 3<"$1"
    if test -n "$locale"; then LC_ALL="$locale"; else unset LC_ALL; fi 2>/dev/null
    test "$((${#line} + 1))" = "$size"
}
"""
# A variable counts even if it is empty. git's answer is another one if HEAD has a policy, and wherever the current
# directory is not the top of the working tree with its git directory in `.git`.
_REPOSITORY = """\
is_plain_repository() {{
    test -z "{variables}" || return 1
    for file in {files}; do
        if test -e "$file"; then return 1; fi
    done
    git config --get-regexp {settings} >/dev/null 2>&1
    test $? -eq 1 || return 1
    place="$(git rev-parse --git-dir --is-inside-work-tree --show-cdup HEAD:.smartcommit 2>/dev/null)"
    test "$place" = ".git
true

HEAD:.smartcommit"
}}
"""
_ACCEPT = """\
if test -x {python} && is_plain_file "$1" && is_plain_repository; then exit 0; fi
"""


def write_acceptance(python: str) -> str:
    """Return the shell lines that end a `commit-msg` hook with status 0 for a plain message, if there is `python`."""
    return write_functions() + _ACCEPT.format(python=shlex.quote(python))


def write_functions() -> str:
    """Return the shell functions that tell whether a header, a message file and the repository are plain."""
    header = _HEADER.format(
        limit=SUMMARY_LIMIT,
        plain=shlex.quote(_PLAIN),
        letters=string.ascii_lowercase,
        digits=string.digits,
        claims=_CLAIMS,
        types="|".join(_TYPES),
    )
    variables = [key.variable for key in KEYS]
    variables += coding_agent.VARIABLES
    repository = _REPOSITORY.format(
        variables="".join(f"${{{name}+x}}" for name in variables),
        files=" ".join((NAMES[0], *(state_files.path(".git", name) for name in _STATE))),
        settings=shlex.quote(_SETTINGS),
    )
    return header + _FILE + repository
