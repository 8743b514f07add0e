"""The pictures of the documentation are of real runs."""

import html
import re
import runpy
from pathlib import Path

from smartcommit.commands.demo import DISCOUNT, HOOKS
from tests.conftest import ROOT

PICTURE = ROOT / "docs" / "demo.svg"
PANES = ROOT / "docs" / "panes.svg"


def read_texts(picture: Path) -> list[str]:
    texts = re.findall(r"<text [^>]*>(.*?)</text>", picture.read_text())
    return [html.unescape(text).replace("\xa0", " ") for text in texts]


def test_the_picture_has_commands_of_the_demo() -> None:
    drawn = read_texts(PICTURE)
    commands = [line.removeprefix("$ ") for line in drawn if line.startswith("$ ")]
    played = []
    for steps in HOOKS.values():
        played += [step.removeprefix("! ") for step in steps if isinstance(step, str)]
    assert len(commands) >= 5
    assert set(commands) <= set(played)


def test_the_script_draws_the_lines_of_the_chosen_steps() -> None:
    script = runpy.run_path(str(Path(ROOT, "docs", "make_picture.py")))
    output = (
        "\n== Install: x\n\n$ a\n\n== Draft: y\n\n$ git add --all\n\n$ git commit\nfeat: z\n# comment\n\nNext, in a\n"
    )
    lines = script["select"](output)
    assert lines == ["", "== Draft: y", "$ git commit", "feat: z"]
    picture = script["draw"](lines)
    assert "feat:&#160;z" in picture
    assert "http" not in picture.replace("http://www.w3.org/2000/svg", "")


def test_the_panes_show_the_change_of_the_demo_and_load_nothing() -> None:
    lines = "".join(read_texts(PANES)).replace(" ", "")
    for line in DISCOUNT.split():
        assert line in lines
    assert "http" not in PANES.read_text().replace("http://www.w3.org/2000/svg", "")
