"""What an installation holds."""

import configparser
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import smartcommit
from tests.conftest import ROOT
from tests.support.installation import Installation, build_wheel, export, list_kept
from tests.support.table import rows

CONFIG = configparser.ConfigParser()
CONFIG.read(ROOT / "setup.cfg")
# Where each top-level package lies in the checkout.
ROOTS = {"smartcommit": ROOT / "smartcommit", "smartcommit_hooks": ROOT / "hooks" / "smartcommit_hooks"}
SCRIPTS = dict(line.split(" = ") for line in CONFIG["options.entry_points"]["console_scripts"].strip().splitlines())


def modules() -> set[str]:
    found = set()
    for name, root in ROOTS.items():
        found |= {str(Path(name) / path.relative_to(root)) for path in root.rglob("*.py")}
    return found


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    return zipfile.ZipFile(build_wheel(ROOT, tmp_path_factory.mktemp("wheel")))


def test_the_wheel_holds_the_modules_of_the_tree_and_nothing_else(wheel: zipfile.ZipFile) -> None:
    held = {name for name in wheel.namelist() if ".dist-info/" not in name}
    data = set()
    for pattern in ("*.md", "*.json", "*.js"):
        found = {str(path.relative_to(ROOT)) for path in (ROOT / "smartcommit").rglob(pattern)}
        assert found
        data |= found
    manual = f"smartcommit_hooks-{smartcommit.__version__}.data/data/share/man/man1"
    pages = {path.name for path in (ROOT / "docs" / "man").iterdir()}
    assert {"git-smart-commit.1", "smartcommit.1"} == pages
    data |= {f"{manual}/{page}" for page in pages}
    assert held == modules() | {f"{name}/py.typed" for name in ROOTS} | data


def test_the_links_of_the_description_lead_to_the_repository(wheel: zipfile.ZipFile) -> None:
    metadata = wheel.read(f"smartcommit_hooks-{smartcommit.__version__}.dist-info/METADATA").decode()
    pages = re.findall(r"\]\(https://github\.com/smartcommit/smartcommit/(?:blob|raw)/main/([^)#]+)", metadata)
    assert "docs/demo.svg" in pages
    assert [page for page in pages if not (ROOT / page).exists()] == []
    assert re.findall(r"\]\((?!https://|#)([^)]*)\)", metadata) == []


def test_the_weights_stay_small() -> None:
    sizes = [path.stat().st_size for path in (ROOT / "smartcommit").rglob("*.json")]
    assert len(sizes) == 2
    assert sum(sizes) <= 150_000


def test_the_source_distribution_holds_what_git_keeps(tmp_path: Path) -> None:
    source = export(ROOT, tmp_path / "source")
    code = f"from setuptools.build_meta import build_sdist; build_sdist({str(tmp_path)!r})"
    subprocess.run([sys.executable, "-c", code], cwd=source, capture_output=True, check=True)
    (archive,) = tmp_path.glob("smartcommit_hooks-*.tar.gz")
    with tarfile.open(archive) as opened:
        held = {member.name.partition("/")[2] for member in opened if member.isfile()}
    kept = {str(path.relative_to(source)) for path in source.rglob("*") if path.is_file()}
    built = {name for name in kept | held if ".egg-info/" in name or "/__pycache__/" in name}
    assert held - built == (kept - built) | {"PKG-INFO"}


@pytest.mark.parametrize("script", SCRIPTS)
def test_every_console_script_is_installed_and_its_function_exists(installation: Installation, script: str) -> None:
    installation.script(script)
    module, _, function = SCRIPTS[script].partition(":")
    code = f"from {module} import {function}; assert callable({function})"
    subprocess.run([installation.python, "-c", code], check=True)


def test_the_version_is_the_same_everywhere(installation: Installation) -> None:
    """It is written out, because pre-commit clones a single commit, in which no tag can be counted from."""
    shown = subprocess.run(
        [installation.script("smartcommit"), "--version"], capture_output=True, text=True, check=True
    )
    assert shown.stdout == f"smartcommit {smartcommit.__version__}\n"
    newest = re.search(r"^## \[(?!Unreleased)(.+?)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert newest is None or newest[1] == smartcommit.__version__


# An installer with its subcommands and options, and then our name or one like it in place of a path or a URL.
FROM_INDEX = re.compile(
    r"""\b(?:pip[23x]?|uvx?|poetry|pdm|conda)(?:\s+(?:install|inject|run|tool|pip|add|download|upgrade|-\S+))*"""
    r"""\s+['"`]*(?:git-)?smart-?commit\b(?!-hooks)"""
)


@rows(
    "command",
    "pip install 'smartcommit[mcp]'",
    "python -m pip install --upgrade smartcommit",
    "pipx install git-smart-commit",
    "uv tool install\n  smartcommit==0.1",
    "uvx smartcommit demo",
)
def test_a_command_that_installs_from_the_index_is_recognized(command: str) -> None:
    assert FROM_INDEX.search(command)


def test_nothing_that_a_user_reads_installs_from_the_index() -> None:
    """The bare name belongs to somebody else there; ours is `smartcommit-hooks`."""
    paths = [name for name in list_kept(ROOT) if not name.startswith("tests/")]
    assert {"README.md", "docs/planner.md", "smartcommit/commands/plan.py", "setup.cfg"} <= set(paths)
    found = {}
    for name in paths:
        commands = FROM_INDEX.findall((ROOT / name).read_text(errors="replace"))
        if commands:
            found[name] = commands
    assert found == {}
