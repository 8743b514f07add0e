"""Draw `docs/demo.svg` from a real run: `python docs/make_picture.py`, in an environment with smartcommit."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

TARGET = Path(__file__).with_name("demo.svg")
WIDTH = 100
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


def squeeze(lines: list[str]) -> list[str]:
    """Return `lines` without blank ones at the start and after another blank one."""
    kept: list[str] = []
    for line in lines:
        if line or (kept and kept[-1]):
            kept.append(line)
    return kept


if __name__ == "__main__":
    TARGET.write_text(draw(select(run_demo())), encoding="utf-8")
