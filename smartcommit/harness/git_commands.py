"""Reads git's command line as git does: its own options, and the options and operands of its commands.

Source: git 2.55, `git.c`, `parse-options.c` and the `builtin/` of each command.
"""

from __future__ import annotations

from smartcommit.harness.shell_values import UNKNOWN, Field
from smartcommit.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# The options of each command, as `short|long`: `=` takes a value, `?` one that is attached.
_PATHSPECS = "pathspec-from-file= pathspec-file-nul U|unified= inter-hunk-context="
_MERGING = """
    n|no-stat stat summary log? squash commit e|edit cleanup= ff ff-only verify-signatures s|strategy=
    X|strategy-option= S|gpg-sign? allow-unrelated-histories autostash signoff? v|verbose q|quiet progress no-verify
    compact-summary
"""
_PICKING = """
    quit continue abort skip cleanup= n|no-commit e|edit s|signoff m|mainline= rerere-autoupdate strategy=
    X|strategy-option= S|gpg-sign? ff allow-empty allow-empty-message keep-redundant-commits empty= x reference r
    no-verify
"""
_SWITCHING = """
    guess q|quiet recurse-submodules? progress m|merge conflict= d|detach t|track? f|force orphan= overwrite-ignore
    ignore-other-worktrees
"""
_OPTIONS = {
    "commit": _PATHSPECS + """
        q|quiet v|verbose F|file= author= date= m|message= c|reedit-message= C|reuse-message= fixup= squash=
        reset-author trailer= s|signoff t|template= e|edit cleanup= status S|gpg-sign? a|all i|include interactive
        p|patch o|only n|no-verify dry-run short branch ahead-behind porcelain long z|null amend no-post-rewrite
        u|untracked-files? allow-empty allow-empty-message
    """,
    "push": """
        v|verbose q|quiet repo= all branches mirror d|delete tags n|dry-run porcelain f|force force-with-lease?
        force-if-includes recurse-submodules= thin receive-pack= exec= u|set-upstream progress prune no-verify
        follow-tags signed? atomic o|push-option= 4|ipv4 6|ipv6
    """,
    "merge": _MERGING + " m|message= F|file= into-name= rerere-autoupdate abort quit continue overwrite-ignore",
    "pull": _MERGING + """
        r|rebase? recurse-submodules? all a|append upload-pack= f|force t|tags p|prune j|jobs? dry-run k|keep depth=
        shallow-since= shallow-exclude= deepen= unshallow update-shallow refmap= o|server-option= 4|ipv4 6|ipv6
        negotiation-tip= show-forced-updates set-upstream
    """,
    "am": """
        i|interactive n|no-verify 3|3way q|quiet s|signoff u|utf8 k|keep keep-non-patch m|message-id keep-cr
        no-keep-cr c|scissors quoted-cr= whitespace= ignore-space-change ignore-whitespace directory= exclude=
        include= C= p= patch-format= reject resolvemsg= continue r|resolved skip abort quit retry show-current-patch?
        allow-empty committer-date-is-author-date ignore-date rerere-autoupdate S|gpg-sign? empty=
    """,
    "rebase": """
        onto= keep-base no-verify q|quiet v|verbose n|no-stat stat signoff committer-date-is-author-date
        reset-author-date ignore-date C= ignore-whitespace whitespace= f|force-rebase no-ff continue skip abort quit
        edit-todo show-current-patch apply m|merge i|interactive rerere-autoupdate empty= keep-empty autosquash
        update-refs S|gpg-sign? autostash x|exec= r|rebase-merges? fork-point s|strategy= X|strategy-option= root
        reschedule-failed-exec reapply-cherry-picks trailer=
    """,
    "cherry-pick": _PICKING,
    "revert": _PICKING,
    "add": _PATHSPECS + """
        n|dry-run v|verbose i|interactive p|patch e|edit f|force u|update renormalize N|intent-to-add A|all
        ignore-removal refresh ignore-errors ignore-missing sparse chmod=
    """,
    "stash": _PATHSPECS + " p|patch S|staged k|keep-index q|quiet u|include-untracked a|all m|message=",
    "checkout": _SWITCHING + _PATHSPECS + " b= B= l overlay ours theirs 2 3 p|patch ignore-skip-worktree-bits",
    "switch": _SWITCHING + " c|create= C|force-create= discard-changes",
    "restore": _PATHSPECS + """
        s|source= S|staged W|worktree ignore-unmerged overlay q|quiet recurse-submodules? progress m|merge conflict=
        2|ours 3|theirs p|patch ignore-skip-worktree-bits
    """,
    "reset": _PATHSPECS + " q|quiet no-refresh mixed soft hard merge keep recurse-submodules? p|patch N|intent-to-add",
    "clean": "q|quiet n|dry-run f|force i|interactive d e|exclude= x X",
    "rm": _PATHSPECS + " n|dry-run q|quiet cached f|force r ignore-unmatch sparse",
    "config": """
        global system local worktree f|file= blob= get get-all get-regexp get-urlmatch replace-all add append unset
        unset-all rename-section remove-section l|list e|edit get-color get-colorbool type= bool int bool-or-int
        bool-or-str path expiry-date z|null name-only includes show-origin show-scope show-names default= comment=
        value= all regexp url= fixed-value
    """,
    "update-ref": "m= d no-deref z stdin create-reflog batch-updates",
    "hash-object": "t= w stdin stdin-paths no-filters literally path=",
    "branch": """
        f|force d|delete D m|move M c|copy C u|set-upstream-to= t|track? l|list a|all r|remotes q|quiet v|verbose
        contains= no-contains= merged= no-merged= sort= format= points-at= edit-description unset-upstream
    """,
    "read-tree": "m u reset i n|dry-run v prefix= empty",
    "checkout-index": "u|index q|quiet f|force a|all n|no-create temp prefix= stage= stdin z",
}  # fmt: skip
# git's own options that take a value in the next word.
_GLOBAL_VALUES = frozenset(
    ("-c", "-C", "--git-dir", "--work-tree", "--namespace", "--config-env", "--super-prefix", "--attr-source")
)
# Those that git answers itself, whatever follows.
_ANSWERED = frozenset(
    ("--help", "-h", "--version", "-v", "--html-path", "--man-path", "--info-path", "--exec-path", "--build-options")
)
# Every command of git that is built in, or comes with it; anything else may be an alias.
_BUILTIN = """
    add am annotate apply archimport archive backfill bisect blame branch bugreport bundle cat-file check-attr
    check-ignore check-mailmap check-ref-format checkout checkout-index cherry cherry-pick citool clean clone column
    commit commit-graph commit-tree config count-objects credential daemon describe diagnose diff diff-files
    diff-index diff-pairs diff-tree difftool fast-export fast-import fetch fetch-pack filter-branch fmt-merge-msg
    for-each-ref for-each-repo format-patch fsck gc get-tar-commit-id grep gui hash-object help history hook imap-send
    index-pack init init-db instaweb interpret-trailers last-modified log ls-files ls-remote ls-tree mailinfo
    mailsplit maintenance merge merge-base merge-file merge-index merge-tree mergetool mktag mktree multi-pack-index
    mv name-rev notes pack-objects pack-refs patch-id prune pull push range-diff read-tree rebase receive-pack reflog
    refs remote repack replace replay repo request-pull rerere reset restore rev-list rev-parse revert rm send-email
    send-pack shortlog show show-branch show-index show-ref sparse-checkout stage stash status stripspace submodule
    switch symbolic-ref tag unpack-file unpack-objects update-index update-ref update-server-info upload-archive
    upload-pack var verify-commit verify-pack verify-tag version whatchanged worktree write-tree smart-commit
"""
BUILTIN = frozenset(_BUILTIN.split())


class Setting(Record):
    """`-c name=value`; `start` and `end` are the words of git's command line that it takes."""

    name: str
    value: str
    first: int
    last: int


class Option(Record):
    """An option by its long name, or its letter where it has none; `word` is the number of its word."""

    name: str
    value: str
    word: int


class GitCommand(Record):
    """A command of git: `first` is the number of the word that names it.

    `undashed` operands stand before `--`, all if there is none (`dashed`).
    """

    words: list[Field]
    name: str
    first: int
    settings: list[Setting]
    directories: list[str]
    git_dir: str | None
    work_tree: str | None
    options: list[Option]
    operands: list[Field]
    undashed: int
    dashed: bool

    def find(self, *names: str) -> Option | None:
        """Return the last option of these names."""
        for option in reversed(self.options):
            if option.name in names:
                return option
        return None

    def has(self, name: str) -> bool:
        """Whether an option is given, and not taken back by a later one."""
        opposite = name.removeprefix("no-") if name.startswith("no-") else "no-" + name
        last = self.find(name, opposite)
        return last is not None and last.name == name


def read_git(words: Sequence[Field]) -> GitCommand | None:
    """Read the command line `words`, of which the first is git itself; None if it names no command."""
    command = GitCommand(list(words), "", 1, [], [], None, None, [], [], 0, False)
    while command.first < len(words) and words[command.first].text.startswith("-"):
        if words[command.first].text in _ANSWERED:
            return None
        command.first = _read_global(command, command.first) + 1
    if command.first >= len(words):
        return None
    command.name = words[command.first].text
    if command.name == "stage":
        command.name = "add"
    _read_options(command)
    return None if command.find("help") is not None else command


def _read_global(command: GitCommand, at: int) -> int:
    """Read one of git's own options; return the number of the last word that it takes."""
    words = command.words
    name, equals, value = words[at].text.partition("=")
    last = at
    if name in _GLOBAL_VALUES and not equals:
        last = at + 1
        value = words[last].text if last < len(words) else ""
    if name == "-c":
        key, given, setting = value.partition("=")
        command.settings.append(Setting(key, setting if given else "true", at, last))
    elif name == "--config-env":
        command.settings.append(Setting(value.partition("=")[0], UNKNOWN, at, last))
    elif name == "-C":
        command.directories.append(value)
    elif name == "--git-dir":
        command.git_dir = value
    elif name == "--work-tree":
        command.work_tree = value
    return last


def _read_options(command: GitCommand) -> None:
    """Read the options and operands of the command."""
    shorts, longs = _parse_table(_OPTIONS.get(command.name, ""))
    at = command.first + 1
    words = command.words
    while at < len(words):
        text = words[at].text
        if text == "--":
            command.undashed = len(command.operands)
            command.dashed = True
            command.operands += words[at + 1 :]
            return
        if text.startswith("--"):
            at = _read_long(command, at, longs)
        elif text.startswith("-") and text != "-":
            at = _read_short(command, at, shorts)
        else:
            command.operands.append(words[at])
        at += 1
    command.undashed = len(command.operands)


def _read_long(command: GitCommand, at: int, longs: Mapping[str, str]) -> int:
    """Read `--name`, which may be abbreviated; return the number of the last word that it takes."""
    name, equals, value = command.words[at].text[2:].partition("=")
    found = _complete(name, longs)
    last = at
    if longs.get(found) == "=" and not equals:
        last = at + 1
        value = command.words[last].text if last < len(command.words) else ""
    command.options.append(Option(found, value, at))
    return last


def _complete(name: str, longs: Mapping[str, str]) -> str:
    """Return the option that `name` abbreviates; `name` itself if there is none, or several."""
    if name in longs or not name:
        return name
    found = set()
    for long in longs:
        opposite = long.removeprefix("no-") if long.startswith("no-") else "no-" + long
        if opposite == name:
            return name
        for candidate in (long, opposite):
            if candidate.startswith(name):
                found.add(candidate)
    # Which of several options is meant differs from version to version; this one alone matters.
    if "no-verify" in found and len(name) > len("no-ver"):
        return "no-verify"
    return found.pop() if len(found) == 1 else name


def _read_short(command: GitCommand, at: int, shorts: Mapping[str, tuple[str, str]]) -> int:
    """Read `-abc`; return the number of the last word that it takes."""
    text = command.words[at].text
    for number, letter in enumerate(text[1:], start=2):
        name, kind = shorts.get(letter, (letter, ""))
        if not kind:
            command.options.append(Option(name, "", at))
            continue
        value = text[number:]
        if kind == "=" and not value:
            at += 1
            value = command.words[at].text if at < len(command.words) else ""
            command.options.append(Option(name, value, at - 1))
        else:
            command.options.append(Option(name, value, at))
        break
    return at


def _parse_table(table: str) -> tuple[dict[str, tuple[str, str]], dict[str, str]]:
    """Return the options of a row by letter and by name, each with how it takes a value."""
    shorts: dict[str, tuple[str, str]] = {}
    longs: dict[str, str] = {}
    for entry in table.split():
        kind = entry[-1] if entry[-1] in "=?" else ""
        short, _, long = entry.rstrip("=?").partition("|")
        if not long and len(short) > 1:
            short, long = "", short
        if short:
            shorts[short] = (long or short, kind)
        if long:
            longs[long] = kind
    return shorts, longs


def drop_letter(command: GitCommand, option: Option) -> str:
    """Return the word of an option without it: empty, or the rest of a bundle such as `-anm`."""
    text = command.words[option.word].text
    shorts, _ = _parse_table(_OPTIONS.get(command.name, ""))
    if text.startswith("--"):
        return ""
    kept = ""
    for number, letter in enumerate(text[1:], start=1):
        name, kind = shorts.get(letter, (letter, ""))
        if kind:
            kept += text[number:]
            break
        if name != option.name:
            kept += letter
    return f"-{kept}" if kept else ""


def split_alias(text: str) -> list[str]:
    """Return the words of an alias; quotes and backslashes are read as git reads them (`split_cmdline`)."""
    words: list[str] = []
    word: list[str] = []
    quote = ""
    begun = False
    at = 0
    while at < len(text):
        letter = text[at]
        at += 1
        if not quote and letter.isspace():
            if begun:
                words.append("".join(word))
            word, begun = [], False
            continue
        begun = True
        if letter in "'\"" and quote in ("", letter):
            quote = "" if quote else letter
        elif letter == "\\" and quote != "'":
            word.append(text[at : at + 1])
            at += 1
        else:
            word.append(letter)
    if begun:
        words.append("".join(word))
    return words
