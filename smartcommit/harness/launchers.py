"""Programs that start another one which their arguments name, and how their options are read."""

from __future__ import annotations

from smartcommit.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Launcher(Record):
    """`values` are the options with a value; `operands` stand before the command.

    `assigns` if `NAME=VALUE` may stand there too, `joins` if a shell runs the command. `scripts` are the options whose
    value is a shell's text.
    """

    values: frozenset[str] = frozenset()
    operands: int = 0
    assigns: bool = False
    joins: bool = False
    scripts: frozenset[str] = frozenset()

    def find_script(self, arguments: Sequence[str]) -> str:
        """Return the text that an option of `scripts` gives a shell, empty if there is none."""
        for number, text in enumerate(arguments):
            name, equals, value = text.partition("=")
            if text in self.scripts:
                return "".join(arguments[number + 1 : number + 2])
            if equals and name in self.scripts:
                return value
            if text[:2] in self.scripts and not text.startswith("--"):
                return text[2:]
        return ""


def _make(
    values: str = "", operands: int = 0, *, assigns: bool = False, joins: bool = False, scripts: str = ""
) -> Launcher:
    options = frozenset((values + " " + scripts).split())
    return Launcher(options, operands, assigns, joins, frozenset(scripts.split()))


_PACKAGE = """
    -p --package --from --with --with-requirements --python --index-url --project --directory --env-file --extra
    --group -C --dir --filter --cwd
"""

LAUNCHERS: Mapping[str, Launcher] = {
    **dict.fromkeys(("builtin", "nohup", "noglob", "nocorrect", "setsid", "-", "caffeinate", "unbuffer"), _make()),
    "exec": _make("-a"),
    "command": _make(),
    "env": _make("-u --unset -C --chdir", assigns=True, scripts="-S --split-string"),
    "sudo": _make("-u --user -g --group -h --host -p --prompt -C -r -t -T -U -D --chdir -R --chroot", assigns=True),
    "doas": _make("-u -C"),
    "timeout": _make("-k --kill-after -s --signal", 1),
    "gtimeout": _make("-k --kill-after -s --signal", 1),
    "nice": _make("-n --adjustment"),
    "ionice": _make("-c --class -n --classdata -p -P -u"),
    "taskset": _make("", 1),
    "chrt": _make("", 1),
    "stdbuf": _make("-i --input -o --output -e --error"),
    "time": _make("-f --format -o --output"),
    "flock": _make("-w --timeout -E", 1, scripts="-c --command"),
    "script": _make("-o -t", 1, scripts="-c --command"),
    "su": _make("-s --shell", 1, scripts="-c --command"),
    "watch": _make("-n --interval", joins=True),
    "strace": _make("-e -o -p -s -E -u -a -O -S"),
    "ltrace": _make("-e -o -p -s -u -a"),
    "unshare": _make(),
    "systemd-run": _make("-p --property --unit"),
    "xargs": _make("-I -d --delimiter -E -n --max-args -L --max-lines -P --max-procs -s -a --arg-file"),
    "parallel": _make("-j --jobs"),
    "npx": _make(_PACKAGE, scripts="-c --call"),
    "bunx": _make(_PACKAGE),
    "pnpx": _make(_PACKAGE),
    "uvx": _make(_PACKAGE),
    "pnpm": _make(_PACKAGE),
    "yarn": _make(_PACKAGE),
    "npm exec": _make(_PACKAGE, scripts="-c --call"),
    "npm x": _make(_PACKAGE, scripts="-c --call"),
    "pnpm exec": _make(_PACKAGE),
    "pnpm dlx": _make(_PACKAGE),
    "yarn exec": _make(_PACKAGE),
    "yarn dlx": _make(_PACKAGE),
    "yarn run": _make(_PACKAGE),
    "bun x": _make(_PACKAGE),
    "uv run": _make(_PACKAGE),
    "poetry run": _make(),
    "pdm run": _make(),
    "rye run": _make(),
    "hatch run": _make(),
    "pipenv run": _make(),
    "pipx run": _make("--spec --python"),
    "bundle exec": _make(),
    "direnv exec": _make("", 1),
    "mise exec": _make(),
    "mise x": _make(),
}


def find_operands(launcher: Launcher, arguments: Sequence[str]) -> int:
    """Return where the options of a launcher end."""
    at = 0
    while at < len(arguments):
        text = arguments[at]
        if text == "--":
            return at + 1
        if not text.startswith("-") or text == "-":
            return at
        at += 1
        if text in launcher.values or (
            text[:2] != "--"
            and "-" + text[-1:] in launcher.values
            and len(text) > 2
            and text[:2] not in launcher.values
        ):
            at += 1
    return at
