"""Our lines in hooks that a project tracks: where they stand, and what they leave alone."""

from __future__ import annotations

import subprocess

import pytest

from smartcommit.cli import main
from smartcommit.setup import channels
from tests.conftest import ROOT
from tests.setup.channels_test import place, snapshot, write_hook
from tests.support.repository import Repo

__all__ = ["place"]
ADD = ["install", "--add-lines", "--hooks", "commit-msg"]
TOPS = ("", "#!/bin/sh", "#!/usr/bin/env bash\n# what it does\n\n", "\n", "x=1", "# \u00e9")
RESTS = ("", "exit 3", "cat <<E\n# smartcommit: end\nE\nexit 3\n")


def test_lines_leave_a_script_as_it_was(place: Repo) -> None:
    place.git("config", "core.hooksPath", ".githooks")
    lines = channels.LINES["commit-msg"]
    failed = []
    for top in TOPS:
        for rest in RESTS:
            content = f"{top}\n{rest}" if rest else top
            hook = write_hook(place.path / ".githooks/commit-msg", content)
            added, written = main(ADD), hook.read_text()
            # Without the commands on PATH, what the script returns is what it returned before.
            done = subprocess.run(["sh", hook, "m"], env={"PATH": "/nowhere:/bin"}, capture_output=True, check=False)
            found = (added, lines in written, written.startswith("#!"), done.returncode, main(["uninstall"]))
            if found != (0, True, top.startswith("#!"), 3 if rest else 0, 0) or hook.read_text() != content:
                failed.append(f"{content!r}: {found} {written}")
    assert not failed, "\n".join(failed)


def test_lines_are_added_to_no_script_that_would_not_run_them(place: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(ADD) == 1
    assert "git looks for no hooks in this working tree" in capsys.readouterr().err
    place.git("config", "core.hooksPath", ".githooks")
    for script, said in {
        "#!/usr/bin/env python3\n": "is not a shell script",
        '#!/bin/sh\nlefthook run "commit-msg"\n': "is written again by the program that made it",
    }.items():
        hook = write_hook(place.path / ".githooks/commit-msg", script)
        before = snapshot(place.path)
        assert main(ADD) == 1
        assert f"'{hook}' {said}" in capsys.readouterr().err
        assert snapshot(place.path) == before


def test_lines_run_once_in_a_script_that_husky_8_runs_again(place: Repo) -> None:
    again = 'test -n "$again" || { export again=1; sh -e "$0" "$@"; exit $?; }\n'
    write_hook(place.path / ".husky/_/husky.sh", again)
    script = '#!/usr/bin/env sh\n. "$(dirname -- "$0")/_/husky.sh"\n\ntrue\n'
    write_hook(place.path / ".husky/commit-msg", script)
    place.git("config", "core.hooksPath", ".husky")
    assert main(ADD) == 0
    done = place.run("commit", "--allow-empty", "-m", "oops", env={"PATH": f"{ROOT}:/usr/bin:/bin"})
    assert done.stderr.count(b"smartcommit is not on PATH") == 1


def test_lines_that_a_project_has_are_taken_as_ours(place: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    """Files that were installed here before give way to them, and edited ones are left."""
    assert main(["install"]) == 0
    for name, lines in channels.LINES.items():
        write_hook(place.path / ".githooks" / name, f"#!/bin/sh\n# smartcommit: begin\n{lines}# smartcommit: end\n")
    place.git("config", "core.hooksPath", ".githooks")
    assert main(["install", "--add-lines"]) == 0
    assert f"removed the hooks from '{place.path}/.git/hooks'" in capsys.readouterr().out
    edited = place.path / ".githooks/commit-msg"
    edited.write_text(edited.read_text().replace("|| exit", "|| exit 9"))
    assert main(["uninstall"]) == 0
    assert "our lines in '.githooks/commit-msg' were edited: remove them by hand" in capsys.readouterr().out
    assert (place.path / ".githooks/prepare-commit-msg").read_text() == "#!/bin/sh\n"
    assert "exit 9" in edited.read_text()


def test_the_page_has_the_lines_that_are_added() -> None:
    page = (ROOT / "docs/installing.md").read_text()
    for lines in channels.LINES.values():
        assert "".join(f"  {line}\n" for line in lines.splitlines()) in page
