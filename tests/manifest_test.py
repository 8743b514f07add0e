"""The hook ids: what users write into their configuration, so they never change."""

import re
import subprocess
import sys

import yaml

from smartcommit import __version__
from smartcommit.setup.pre_commit import PUBLISHED, paste
from tests.conftest import ROOT
from tests.support.table import rows

MANIFEST = ROOT / ".pre-commit-hooks.yaml"
HOOKS = {hook["id"]: hook for hook in yaml.safe_load(MANIFEST.read_text())}
IDS = ["prepare-commit-msg", "commit-msg", "pre-push", "split"]


@rows("framework", "pre_commit", "prek")
def test_each_framework_accepts_the_manifest(framework: str) -> None:
    subprocess.run([sys.executable, "-m", framework, "validate-manifest", str(MANIFEST)], check=True)


def test_the_readme_has_one_heading_for_each_id() -> None:
    headings = re.findall(r"^#+ `([a-z-]+)`$", (ROOT / "README.md").read_text(), re.MULTILINE)
    assert headings == IDS


def test_the_readme_gives_the_lines_that_install_writes() -> None:
    (lines,) = re.findall(r"```yaml\n(default_install_hook_types.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert lines == paste(PUBLISHED, f"v{__version__}")


@rows("name", *IDS)
def test_a_plain_entry_is_enough(name: str) -> None:
    """`always_run`, since a user's `files:` filters the message file away too; not `verbose`: silence is success."""
    hook = HOOKS[name]
    assert hook["language"] == "python"
    assert hook["always_run"] is True
    assert "verbose" not in hook
    assert hook["entry"] == f"smartcommit-{name}"


def test_the_ids_are_exactly_these_and_have_these_stages() -> None:
    assert list(HOOKS) == IDS
    assert {name: hook["stages"] for name, hook in HOOKS.items()} == {
        "prepare-commit-msg": ["prepare-commit-msg"],
        "commit-msg": ["commit-msg"],
        "pre-push": ["pre-push"],
        "split": ["pre-commit", "manual"],
    }


def test_our_own_configuration_uses_our_own_hooks() -> None:
    config = ROOT / ".pre-commit-config.yaml"
    subprocess.run([sys.executable, "-m", "pre_commit", "validate-config", str(config)], check=True)
    (local,) = yaml.safe_load(config.read_text())["repos"]
    ours = {hook["id"]: hook for hook in local["hooks"] if hook["id"] in IDS}
    assert list(ours) == IDS
    for name, hook in ours.items():
        assert hook["entry"] == f".venv/bin/{HOOKS[name]['entry']}"
        shared = set(HOOKS[name]) - {"description", "entry", "language"}
        assert {key: hook[key] for key in shared} == {key: HOOKS[name][key] for key in shared}
