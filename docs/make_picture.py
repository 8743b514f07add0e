"""Draw `docs/demo.svg` and `docs/panes.svg` from real runs.

`python docs/make_picture.py`, in an environment with smartcommit and textual.
"""

from __future__ import annotations

import io
import os
import pty
import re
import subprocess
import sys
import tempfile
import termios
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

from smartcommit.commands import demo

TARGET = Path(__file__).with_name("demo.svg")
PANES = Path(__file__).with_name("panes.svg")
WIDTH = 100
# The review wants a terminal that is its session's own.
REVIEW = """\
import fcntl, sys, termios
from smartcommit.cli import main
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
sys.exit(main(["split", "--strategy", "hunk"]))
"""
FONTS = 'Menlo, Consolas, "DejaVu Sans Mono", monospace'
# The steps of the demo that are drawn, by the first word of their titles, and commands that are not.
STEPS = ("Draft", "Check", "Split", "Undo")
LEFT_OUT = ("git add", "git diff", "git log", "git status")
STYLES = {
    r"== ": "italic #a59f85",
    r"\$ ": "bold #66d9ef",
    r"\w+(\(\w+\))?: ": "bold #a6e22e",
    r"\S+:\d+:\d+: ": "#f92672",
}
# As rich's own, without a font that would be loaded from elsewhere.
FORMAT = """\
<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: {char_height}px;
line-height: {line_height}px; font-variant-east-asian: full-width; }}
.{unique_id}-title {{ font-size: 18px; font-weight: bold; font-family: arial; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/>
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def run_demo() -> str:
    """Return what `smartcommit demo` prints."""
    program = "import sys; from smartcommit.cli import main; sys.exit(main(['demo']))"
    done = subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"the demo failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def select(output: str) -> list[str]:
    """Return the lines that are drawn: the chosen steps and commands, with comments of the editor's text left out."""
    lines = []
    for step in output.split("\n== ")[1:]:
        if not step.startswith(STEPS):
            continue
        title, *commands = re.split(r"\n\n(?=\$ )", step.partition("\nNext, in")[0].rstrip("\n"))
        lines += ["", f"== {title}"]
        for command in commands:
            if not command.removeprefix("$ ").startswith(LEFT_OUT):
                lines += [line for line in command.split("\n") if not line.startswith("#")]
    return lines


def draw(lines: list[str]) -> str:
    """Return the lines as a picture of a terminal."""
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True, legacy_windows=False)
    for line in squeeze(lines):
        console.print(Text(line.replace("== ", "# "), find_style(line)))
    return console.export_svg(title="smartcommit", theme=MONOKAI, code_format=FORMAT, unique_id="demo")


def find_style(line: str) -> str:
    """Return how a line is drawn: a title, a command, a message, an error, or anything else."""
    for pattern, style in STYLES.items():
        if re.match(pattern, line):
            return style
    return ""


def show_panes(folder: Path) -> str:
    """Return textual's picture of the review of the demo's mixed change, in a new repository in `folder`."""
    for command in ("init --quiet", "config user.name Ada", "config user.email ada@example.com"):
        subprocess.run(["git", *command.split()], cwd=folder, check=True)
    for message, files in {**demo.HISTORY, "feat(cart): add format_price": demo.FORMATTED}.items():
        write(folder, files)
        subprocess.run(["git", "add", "--all"], cwd=folder, check=True)
        subprocess.run(["git", "commit", "--quiet", "--no-verify", f"--message={message}"], cwd=folder, check=True)
    write(folder, demo.MIXED)
    picture = folder / ".git" / "panes.svg"
    drawing = {
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
        "TEXTUAL_PRESS": "down,down",
        "TEXTUAL_SCREENSHOT": "1",
        "TEXTUAL_SCREENSHOT_LOCATION": str(picture.parent),
        "TEXTUAL_SCREENSHOT_FILENAME": picture.name,
    }
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (18, WIDTH))
    with subprocess.Popen(
        [sys.executable, "-P", "-c", REVIEW], cwd=folder, env={**os.environ, **drawing},
        stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
    ):  # fmt: skip
        os.close(theirs)
        # Linux reports the end of a terminal as an error.
        with suppress(OSError):
            while os.read(ours, 65536):
                pass
    os.close(ours)
    return picture.read_text(encoding="utf-8")


def write(folder: Path, files: Mapping[str, str]) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content, encoding="utf-8")


def tidy(picture: str) -> str:
    """Return textual's picture with the command as its title, and without fonts that would be loaded from elsewhere."""
    picture = re.sub(r"\s*<!--.*?-->|\s*@font-face \{.*?\}", "", picture, flags=re.DOTALL)
    picture = re.sub(r"terminal-\d+", "panes", picture)
    return picture.replace("Fira Code, monospace", FONTS).replace(">ReviewApp<", ">git smart-commit<")


def squeeze(lines: list[str]) -> list[str]:
    """Return `lines` without blank ones at the start and after another blank one."""
    kept: list[str] = []
    for line in lines:
        if line or (kept and kept[-1]):
            kept.append(line)
    return kept


if __name__ == "__main__":
    TARGET.write_text(draw(select(run_demo())), encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        PANES.write_text(tidy(show_panes(Path(os.path.realpath(folder)))), encoding="utf-8")
