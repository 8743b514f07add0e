"""The formats for CI systems: each has what its reader requires, whatever a message holds."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree

import jsonschema
import pytest

from smartcommit.cli import main
from smartcommit.message.rules import CODES
from tests.support.repository import Repo

TEXT = {"type": "string", "minLength": 1}
# Source: GitLab, "Code quality report format".
GITLAB = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "properties": {
            "description": TEXT,
            "check_name": {"enum": list(CODES)},
            "fingerprint": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "type": "object",
                "required": ["path", "lines"],
                "properties": {
                    "path": {"type": "string", "pattern": "^[^/.]"},
                    "lines": {
                        "type": "object",
                        "required": ["begin"],
                        "properties": {"begin": {"type": "integer", "minimum": 1}},
                    },
                },
            },
        },
    },
}


@pytest.fixture
def here(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A repository with a good commit, a rejected one, one with a warning, a hostile one and a merge."""
    base = repo.commit("feat: base", {".smartcommit": "[smartcommit]\n\ttypes = feat\n\twarnings = body-blank\n"})
    repo.commit("oops, 100% wrong\nand no blank line\n\nTasks [ ]:\n")
    repo.commit("feat: x\nand no blank line")
    repo.commit("feat: \x1b[31m\u202e<&>\n\n::error::forged\r\n%0A]]>")
    repo.git("checkout", "-q", "-b", "side", base)
    repo.commit("feat: side")
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--no-ff", "-m", "Merge side", "side")
    monkeypatch.chdir(repo.path)
    return repo


def show(capsys: pytest.CaptureFixture[str], form: str, revisions: str = "HEAD") -> str:
    status = main(["check", "--range", revisions, "--format", form])
    shown = capsys.readouterr()
    assert status == ("0 rejected" not in shown.err)
    return shown.out


@pytest.mark.usefixtures("here")
def test_github_gets_one_command_for_each_message_and_no_other(capsys: pytest.CaptureFixture[str]) -> None:
    lines = show(capsys, "github").splitlines()
    assert len(lines) == 3
    commands = [
        re.fullmatch(r"::(error|warning) title=([^:,\x00-\x1f]+)::([^\x00-\x1f\u202e]+)", line) for line in lines
    ]
    assert all(commands)
    assert sorted(found[1] for found in commands if found) == ["error", "error", "warning"]
    report = next(line for line in lines if "header-form" in line)
    assert "%3A header-form%2C body-blank%2C tasks-empty::" in report
    assert "%0A  oops, 100%25 wrong%0A" in report
    assert show(capsys, "github", "side") == ""


@pytest.mark.usefixtures("here")
def test_gitlab_gets_a_code_quality_report(capsys: pytest.CaptureFixture[str]) -> None:
    issues = json.loads(show(capsys, "gitlab"))
    jsonschema.validate(issues, GITLAB)
    assert [issue["severity"] for issue in issues if issue["check_name"] == "body-blank"] == ["minor", "minor"]
    fingerprints = {issue["fingerprint"] for issue in issues}
    assert len(fingerprints) == len(issues) > 4
    assert {issue["fingerprint"] for issue in json.loads(show(capsys, "gitlab"))} == fingerprints
    assert json.loads(show(capsys, "gitlab", "side")) == []
    for title, advice in (("feats: add x", "did you mean: feat: add x"), ("Feat: add x", "corrected: feat: add x")):
        assert main(["check", "--title", title, "--format", "gitlab"]) == 1
        assert f"; {advice}" in capsys.readouterr().out


@pytest.mark.usefixtures("here")
def test_junit_gets_a_test_for_each_message(capsys: pytest.CaptureFixture[str]) -> None:
    root = ElementTree.fromstring(show(capsys, "junit"))
    (suite,) = root
    assert (root.tag, suite.tag) == ("testsuites", "testsuite")
    counts = {"tests": "6", "failures": "2", "errors": "0", "skipped": "1"}
    assert counts.items() <= root.attrib.items()
    assert counts.items() <= suite.attrib.items()
    ends = {}
    for case in suite:
        assert case.tag == "testcase"
        assert set(case.attrib) == {"classname", "name"}
        ends[case.attrib["name"]] = [child.tag for child in case]
    assert ends["Merge side"] == ["skipped"]
    assert ends["feat: side"] == ends["feat: base"] == []
    assert ends["feat: x"] == ["system-out"]
    assert ends["oops, 100% wrong"] == ["failure"]
    assert ends["feat: \\x1b[31m\\u202e<&>"] == ["failure"]
    failure = next(suite.iter("failure"))
    assert failure.attrib["type"] == "violation"
    assert "character" in failure.attrib["message"]
    assert not set(ElementTree.tostring(root, encoding="unicode")) & set("\x1b\u202e\r")
    assert main(["check", "--title", "oops \ufffe\uffff", "--format", "junit"]) == 1
    shown = capsys.readouterr().out
    assert "oops \\ufffe\\uffff" in shown
    assert not set(shown) & set("\ufffe\uffff")


@pytest.mark.parametrize("form", ["text", "json", "github", "gitlab", "junit"])
def test_every_format_says_how_many_were_checked_and_takes_files(
    here: Repo, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    assert main(["check", "--range", "HEAD", "--format", form]) == 1
    assert capsys.readouterr().err == "smartcommit: 6 commits checked, 1 exempt, 2 rejected\n"
    assert main(["check", "--range", "side~1..side", "--format", form]) == 0
    assert capsys.readouterr().err == "smartcommit: 1 commit checked, 0 exempt, 0 rejected\n"
    here.write("a message", "oops\n")
    assert main(["check", "a message", "--format", form]) == 1
    shown = capsys.readouterr()
    assert "header-form" in shown.out
    assert shown.err == ""
