"""`smartcommit doctor`: who runs the hooks, what they do for a commit now, and what is wrong."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from smartcommit.cli import main
from tests.support import model_server as server
from tests.support import programs
from tests.support.commands import Command
from tests.support.model_server import ModelServer, serve
from tests.support.repository import Repo
from tests.support.table import rows

YES = server.calls(("answer", {"word": "yes"}))
ENTRY = "repos:\n- repo: {repo}\n  rev: v1\n  hooks: [{{id: prepare-commit-msg}}, {{id: commit-msg}}]\n"
PUBLISHED = ENTRY.format(repo="https://github.com/smartcommit/smartcommit")
LOCAL = """repos:
- repo: local
  hooks: [{id: mine, name: mine, language: system, entry: smartcommit-commit-msg}]
"""


pytestmark = pytest.mark.usefixtures("inside")


@pytest.fixture(params=server.DIALECTS)
def model(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    with serve(request.param, YES) as running:
        for name, value in running.environment().items():
            monkeypatch.setenv(name, value)
        yield running


@pytest.fixture
def user_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = programs.linked(tmp_path / "programs", Path(sys.executable).with_name("pre-commit"))
    programs.only(monkeypatch, folder)
    return folder


def install_precommit() -> None:
    subprocess.run(
        ["pre-commit", "install", "--hook-type=prepare-commit-msg", "--hook-type=commit-msg"],
        check=True,
        capture_output=True,
    )


def diagnose(smartcommit: Command, part: str = "hooks", *, status: int = 0) -> list[str]:
    shown = smartcommit("doctor", "--json", status=status)
    found = []
    for each in json.loads(shown.out)["findings"]:
        if each["part"] == part:
            found.append(": ".join(filter(None, (each["state"], each["text"], each["hint"]))))
    return found


def runners(smartcommit: Command) -> dict[str, list[str]]:
    hooks = json.loads(smartcommit("doctor", "--json", status=None).out)["hooks"]
    assert hooks.pop("pre-push") == []
    return {hook: [runner["name"] for runner in found] for hook, found in hooks.items()}


def test_the_report_in_json_has_the_documented_shape(inside: Repo, smartcommit: Command) -> None:
    report = json.loads(smartcommit("doctor", "--json").out)
    assert list(report) == ["ok", "versions", "hooks", "findings"]
    assert report["ok"] is True
    assert list(report["versions"]) == ["smartcommit", "python", "git"]
    assert inside.git("--version") == f"git version {report['versions']['git']}\n"
    assert report["hooks"] == {"prepare-commit-msg": [], "commit-msg": [], "pre-push": []}
    assert {tuple(finding) for finding in report["findings"]} == {("part", "state", "text", "hint")}
    parts = [finding["part"] for finding in report["findings"]]
    assert list(dict.fromkeys(parts)) == ["versions", "hooks", "policy", "model"]
    assert list(inside.path.glob(".git/smartcommit/*")) == []


def test_without_hooks_it_says_how_to_install_them(smartcommit: Command) -> None:
    assert diagnose(smartcommit) == [
        "warning: no hooks of smartcommit are installed here: nothing is drafted or checked: "
        "run 'smartcommit install', with --pre-commit to use pre-commit or prek"
    ]
    (policy,) = diagnose(smartcommit, "policy")
    assert policy.startswith("note: no policy file '.smartcommit': see https://")


def test_direct_hooks_say_what_they_do(inside: Repo, smartcommit: Command) -> None:
    main(["install"])
    inside.git("config", "smartcommit.draft", "false")
    inside.write(".smartcommit", "[smartcommit]\n\tsummaryLimit = 60\n")
    inside.git("add", ".smartcommit")
    assert diagnose(smartcommit) == [
        "ok: prepare-commit-msg, installed by 'smartcommit install', drafts nothing: smartcommit.draft is false, "
        "from git config",
        "ok: commit-msg, installed by 'smartcommit install', checks messages by '.smartcommit'",
    ]
    inside.git("config", "smartcommit.addTicket", "true")
    policy, ticket = diagnose(smartcommit, "policy")
    assert policy == "ok: '.smartcommit' is valid and sets summaryLimit"
    assert ticket.startswith("warning: smartcommit.addTicket adds nothing: smartcommit.ticket is not set: say what")
    inside.git("config", "smartcommit.ticket", "A-1")
    assert len(diagnose(smartcommit, "policy")) == 1


def test_a_policy_that_is_not_tracked_holds_for_nobody_else(inside: Repo, smartcommit: Command) -> None:
    inside.write(".smartcommit", "[smartcommit]\n\ttypes = feat\n")
    assert diagnose(smartcommit, "policy") == [
        "warning: '.smartcommit' is not tracked, so it applies only to you: run 'git add .smartcommit'"
    ]


@rows(
    ("policy", "said"),
    (
        "[smartcommit]\n\tsumaryLimit = 1\n",
        "unknown key 'smartcommit.sumarylimit' in '.smartcommit': change or remove it; the",
    ),
    ("[smartcommit]\n\tsummaryLimit = x\n", "invalid value 'x' for smartcommit.summaryLimit in .smartcommit: set it"),
    ("[smartcommit]\n\tticket = (\n", "ticket"),
    ("[smart", "'.smartcommit' is not valid git configuration: run 'git config -f .smartcommit --list'"),
)
def test_a_policy_that_is_wrong_is_broken(inside: Repo, smartcommit: Command, policy: str, said: str) -> None:
    main(["install"])
    inside.write(".smartcommit", policy)
    error, note = diagnose(smartcommit, "policy", status=1)
    assert error.startswith("error: ")
    assert said in error
    assert "commit-msg rejects every message" in note
    assert diagnose(smartcommit, status=1) == [
        "error: prepare-commit-msg, installed by 'smartcommit install', drafts nothing, because the settings or the "
        "policy are not valid",
        "error: commit-msg, installed by 'smartcommit install', rejects every message, because the settings or the "
        "policy are not valid",
    ]
    assert inside.run("commit", "--allow-empty", "-m", "feat: add a thing").returncode == 1


def test_a_hook_that_cannot_run_is_broken(inside: Repo, smartcommit: Command) -> None:
    main(["install"])
    hooks = inside.path / ".git" / "hooks"
    (hooks / "prepare-commit-msg").chmod(0o644)
    checking = hooks / "commit-msg"
    script = checking.read_text()
    checking.write_text(script.replace(f"python={sys.executable}", "python=/nowhere/python"))
    assert checking.read_text() != script
    assert diagnose(smartcommit, status=1) == [
        f"error: prepare-commit-msg: '{hooks}/prepare-commit-msg' is not executable, so git ignores it: "
        f"run 'chmod +x {hooks}/prepare-commit-msg'",
        "error: commit-msg: '/nowhere/python', which runs the hook, is gone: run 'smartcommit install' again",
    ]


@pytest.mark.usefixtures("user_programs")
@pytest.mark.parametrize(
    "origin", ["https://github.com/smartcommit/smartcommit", "https://git.example/fork/smartcommit"]
)
def test_pre_commit_is_recognized(inside: Repo, smartcommit: Command, origin: str) -> None:
    inside.write(".pre-commit-config.yaml", ENTRY.format(repo=origin))
    assert diagnose(smartcommit)[0] == (
        "warning: prepare-commit-msg is listed in '.pre-commit-config.yaml', but not installed, so it does not run: "
        "run 'pre-commit install --hook-type prepare-commit-msg'"
    )
    install_precommit()
    assert runners(smartcommit) == {"prepare-commit-msg": ["pre-commit"], "commit-msg": ["pre-commit"]}
    inside.write(".pre-commit-config.yaml", "repos: []\n")
    assert runners(smartcommit) == {"prepare-commit-msg": [], "commit-msg": []}


@pytest.mark.usefixtures("user_programs")
def test_a_hook_that_its_stages_keep_from_running_is_not_said_to_run(inside: Repo, smartcommit: Command) -> None:
    inside.write(".pre-commit-config.yaml", PUBLISHED)
    install_precommit()
    failed = []
    for text, runs in (
        (PUBLISHED.replace("{id: commit-msg}", "{id: commit-msg, stages: [manual]}"), False),
        (PUBLISHED.replace("{id: commit-msg}", "{id: commit-msg, stages: [commit-msg, manual]}"), True),
        # The stages in our manifest hold.
        (f"default_stages: [pre-commit]\n{PUBLISHED}", True),
        (f"default_stages: [pre-commit]\n{LOCAL}", False),
        (f"default_stages: [commit-msg]\n{LOCAL}", True),
    ):
        inside.write(".pre-commit-config.yaml", text)
        if runners(smartcommit)["commit-msg"] != ["pre-commit"] * runs:
            failed.append(text)
    assert failed == []


@pytest.mark.usefixtures("user_programs")
def test_hooks_that_run_twice_are_said(inside: Repo, smartcommit: Command) -> None:
    main(["install"])
    inside.write(".pre-commit-config.yaml", PUBLISHED)
    # It keeps the hooks that it finds and runs them first.
    install_precommit()
    assert (
        "warning: commit-msg runs twice for each commit: by smartcommit install and by pre-commit: "
        "remove one of them, for example with 'smartcommit uninstall'"
    ) in diagnose(smartcommit)


def test_prek_with_its_own_configuration_is_recognized(inside: Repo, smartcommit: Command) -> None:
    inside.write(
        "prek.toml", '[[repos]]\nrepo = "https://x/smartcommit"\nrev = "v1"\nhooks = [{ id = "commit-msg" }]\n'
    )
    prek = Path(sys.executable).with_name("prek")
    subprocess.run([prek, "install", "--hook-type=commit-msg"], check=True, capture_output=True)
    # It is not read.
    inside.write(".pre-commit-config.yaml", "repos: []\n")
    assert runners(smartcommit) == {"prepare-commit-msg": [], "commit-msg": ["prek"]}


def test_hooks_that_name_each_other_end(inside: Repo, smartcommit: Command) -> None:
    main(["install", "--hooks", "commit-msg"])
    hooks = inside.path / ".git" / "hooks"
    kept = hooks.with_name("hooks.before-smartcommit")
    for _ in range(9):
        kept.mkdir()
        shutil.copy(hooks / "commit-msg", kept)
        kept = kept.with_name(f"{kept.name}.before-smartcommit")
    assert 1 < len(runners(smartcommit)["commit-msg"]) < 10


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (".pre-commit-config.yaml", "repos: [\n"),
        (".pre-commit-config.yaml", "[" * 5000),
        ("prek.toml", "repos = [\n"),
        ("prek.toml", "repos = " + "[" * 5000),
    ],
)
def test_a_configuration_that_is_unreadable_is_broken(inside: Repo, smartcommit: Command, name: str, text: str) -> None:
    inside.write(name, text)
    assert f"error: '{name}' is not valid" in diagnose(smartcommit, status=1)[0]


def test_a_configuration_that_is_endless_once_written_out_is_read(inside: Repo, smartcommit: Command) -> None:
    lines = ["a0: &a0 [x, x]"]
    lines += [f"a{number}: &a{number} [{', '.join([f'*a{number - 1}'] * 10)}]" for number in range(1, 30)]
    lines += ["repos:", "- repo: *a29", "  hooks: [{id: *a29, entry: *a29}, *a29]", "- *a29"]
    inside.write(".pre-commit-config.yaml", "\n".join(lines) + "\n")
    assert diagnose(smartcommit)[0].startswith("warning: no hooks of smartcommit are in")


def test_jj_runs_no_hooks(inside: Repo, smartcommit: Command) -> None:
    (inside.path / ".jj").mkdir()
    assert diagnose(smartcommit)[-1].startswith(
        "note: jj runs no hooks: set jj's ui.editor to 'smartcommit jj-editor', "
    )


def test_a_name_of_a_file_cannot_speak_to_the_terminal(inside: Repo, smartcommit: Command) -> None:
    inside.git("config", "core.hooksPath", "a\x1b[31mb")
    assert "\x1b" not in smartcommit("doctor").out


def test_a_key_in_a_command_is_not_shown(inside: Repo, smartcommit: Command) -> None:
    token = "ghp_" + "a1B2c3D4e5" * 4
    inside.git("config", "smartcommit.provider", "command")
    for command in (f"cat --key {token}", f"cat --key {token} '"):
        inside.git("config", "smartcommit.command", command)
        shown = "".join(smartcommit("doctor", status=None))
        assert "cat --key" in shown
        assert token[4:20] not in shown


@rows(
    ("address", "key", "exposed"),
    ("http://models.example:8000/v1", "sesame", True),
    ("http://me:sesame@models.example:8000/v1", "", True),
    ("http://models.example:8000/v1", "", False),
    ("https://models.example/v1", "sesame", False),
    ("http://127.0.0.1:1/v1", "sesame", False),
)
def test_a_key_that_would_be_sent_unencrypted_is_said(
    smartcommit: Command, monkeypatch: pytest.MonkeyPatch, address: str, key: str, *, exposed: bool
) -> None:
    for name, value in {"MODEL": "m", "API_BASE": address, "API_KEY": key}.items():
        monkeypatch.setenv(f"SMARTCOMMIT_{name}", value)
    lines = diagnose(smartcommit, "model", status=1)
    said = [line for line in lines if "unencrypted" in line]
    assert bool(said) is exposed
    assert "sesame" not in "".join(lines)
    for line in said:
        assert line.startswith("warning: the key for 'models.example:8000' and all changes are sent unencrypted")
        assert "https://" in line


def test_a_model_that_calls_tools_is_found_well(model: ModelServer, smartcommit: Command) -> None:
    shown = smartcommit("doctor").out
    assert f"ok       model 'scripted' at '127.0.0.1:{model.port}', " in shown
    assert "ok       the server has this model" in shown
    assert "ok       the model supports tool calls" in shown


@pytest.mark.parametrize(
    ("script", "environment", "status", "said"),
    [
        ([server.says("yes"), server.says("no"), server.says('{"word": "yes"}')], {}, 0, "and cannot inspect files"),
        ([server.says("no")], {}, 1, "supports neither tool calls nor JSON answers"),
        ([server.refuses(401)], {}, 1, "smartcommit.apiKey"),
        ([YES], {"SMARTCOMMIT_MODEL": "other"}, 1, "model 'other' not found on the server; available: scripted"),
        ([YES], {"SMARTCOMMIT_MODEL": ""}, 1, "no model configured"),
        ([YES], {"SMARTCOMMIT_API_BASE": "http://127.0.0.1:1"}, 1, "connection refused"),
        ([YES], {"SMARTCOMMIT_API_BASE": "ftp://x"}, 1, "not an HTTP URL"),
        ([YES], {"SMARTCOMMIT_API_BASE": "http://models.example.invalid"}, 1, "allowRemote true"),
    ],
)
def test_what_is_wrong_is_said_and_how_to_mend_it(
    model: ModelServer, monkeypatch: pytest.MonkeyPatch, smartcommit: Command,
    script: list[server.Step], environment: dict[str, str], status: int, said: str,
) -> None:  # fmt: skip
    model.script[:] = script
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    shown = smartcommit("doctor", status=status).out
    assert said in shown
    assert ("until this is fixed, the built-in drafter writes every draft" in shown) == bool(status)
