"""Programs that start another one which their arguments name, and how their options are read."""

from __future__ import annotations

from smartcommit.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Launcher(Record):
    """How a program starts another: `values` are its options with a value; `operands` stand before the command.

    `assigns` if `NAME=VALUE` may stand there too, `joins` if a shell runs the command. `scripts` are the options whose
    value is a shell's text. The options are separated by blanks.
    """

    values: str = ""
    operands: int = 0
    assigns: bool = False
    joins: bool = False
    scripts: str = ""

    def find_script(self, arguments: Sequence[str]) -> str:
        """Return the text that an option of `scripts` gives a shell, empty if there is none."""
        scripts = self.scripts.split()
        for number, text in enumerate(arguments):
            name, equals, value = text.partition("=")
            if text in scripts:
                return "".join(arguments[number + 1 : number + 2])
            if equals and name in scripts:
                return value
            if text[:2] in scripts and not text.startswith("--"):
                return text[2:]
            if text[:1] == "-" and text[1:2] != "-" and len(text) > 2 and "-" + text[-1] in scripts:
                return "".join(arguments[number + 1 : number + 2])
        return ""


_PACKAGE = """
    -p --package --from --with --with-requirements --python --index-url --project --directory --env-file --extra
    --group -C --dir --filter --cwd
"""

LAUNCHERS: Mapping[str, Launcher] = {
    **dict.fromkeys(
        ("builtin", "nohup", "noglob", "nocorrect", "setsid", "-", "-p", "caffeinate", "unbuffer"), Launcher()
    ),
    "exec": Launcher("-a"),
    "command": Launcher(),
    "env": Launcher("-u --unset -C --chdir", assigns=True, scripts="-S --split-string"),
    "sudo": Launcher("-u --user -g --group -h --host -p --prompt -C -r -t -T -U -D --chdir -R --chroot", assigns=True),
    "doas": Launcher("-u -C"),
    "timeout": Launcher("-k --kill-after -s --signal", 1),
    "gtimeout": Launcher("-k --kill-after -s --signal", 1),
    "nice": Launcher("-n --adjustment"),
    "ionice": Launcher("-c --class -n --classdata -p -P -u"),
    "taskset": Launcher("", 1),
    "chrt": Launcher("", 1),
    "stdbuf": Launcher("-i --input -o --output -e --error"),
    "time": Launcher("-f --format -o --output"),
    "flock": Launcher("-w --timeout -E", 1, scripts="-c --command"),
    "script": Launcher("-o -t", 1, scripts="-c --command"),
    "su": Launcher("-s --shell", 1, scripts="-c --command"),
    "watch": Launcher("-n --interval", joins=True),
    "strace": Launcher("-e -o -p -s -E -u -a -O -S"),
    "ltrace": Launcher("-e -o -p -s -u -a"),
    "unshare": Launcher(),
    "systemd-run": Launcher("-p --property --unit"),
    "xargs": Launcher("-I -d --delimiter -E -n --max-args -L --max-lines -P --max-procs -s -a --arg-file"),
    "parallel": Launcher("-j --jobs"),
    "busybox": Launcher(),
    "nix-shell": Launcher("-p --packages -A", 9, scripts="--run --command"),
    "npx": Launcher(_PACKAGE, scripts="-c --call"),
    "bunx": Launcher(_PACKAGE),
    "pnpx": Launcher(_PACKAGE),
    "uvx": Launcher(_PACKAGE),
    "pnpm": Launcher(_PACKAGE),
    "yarn": Launcher(_PACKAGE),
    "npm exec": Launcher(_PACKAGE, scripts="-c --call"),
    "npm x": Launcher(_PACKAGE, scripts="-c --call"),
    "pnpm exec": Launcher(_PACKAGE),
    "pnpm dlx": Launcher(_PACKAGE),
    "yarn exec": Launcher(_PACKAGE),
    "yarn dlx": Launcher(_PACKAGE),
    "yarn run": Launcher(_PACKAGE),
    "bun x": Launcher(_PACKAGE),
    "uv run": Launcher(_PACKAGE),
    "poetry run": Launcher(),
    "pdm run": Launcher(),
    "rye run": Launcher(),
    "hatch run": Launcher(),
    "pipenv run": Launcher(),
    "pipx run": Launcher("--spec --python"),
    "bundle exec": Launcher(),
    "direnv exec": Launcher("", 1),
    "mise exec": Launcher(),
    "mise x": Launcher(),
}


def find_operands(launcher: Launcher, arguments: Sequence[str]) -> int:
    """Return where the options of a launcher end."""
    values = (launcher.values + " " + launcher.scripts).split()
    at = 0
    while at < len(arguments):
        text = arguments[at]
        if text == "--":
            return at + 1
        if not text.startswith("-") or text == "-":
            return at
        at += 1
        if text in values or (
            text[:2] != "--" and "-" + text[-1:] in values and len(text) > 2 and text[:2] not in values
        ):
            at += 1
    return at
