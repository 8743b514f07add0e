"""`smartcommit policy`: what is proposed, written and said."""

from __future__ import annotations

import pytest

from smartcommit.cli import main
from tests.support.repository import Repo


@pytest.fixture
def project(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Repo:
    rules = "rules: {type-enum: [2, always, [feat, wip]], subject-case: [2, never, upper-case]}\n"
    repo.commit("wip: begin", {".commitlintrc.yml": rules})
    for number in range(3):
        repo.commit(f"feat: add {number}")
    repo.commit("docs: describe it")
    monkeypatch.chdir(repo.path)
    return repo


PROPOSAL = (
    "rules found in .commitlintrc.yml; proposed '.smartcommit':\n+[smartcommit]\n+\ttypes = feat wip\n"
    "+\toff = scope-form scope-case summary-length\n"
    "not taken over: subject-case never upper-case: there is no setting for it\n"
)


def test_the_proposal_is_shown_and_written(project: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["policy"]) == 0
    assert capsys.readouterr().out == PROPOSAL + "run 'smartcommit policy --write' to write it\n"
    assert not (project.path / ".smartcommit").exists()
    assert main(["policy", "--write"]) == 0
    assert (project.path / ".smartcommit").read_text() == (
        "[smartcommit]\n\ttypes = feat wip\n\toff = scope-form scope-case summary-length\n"
    )
    assert main(["check", "--message", "wip: try it"]) == 0
    assert main(["check", "--message", "docs: describe it"]) == 1
    capsys.readouterr()
    assert main(["policy"]) == 1
    assert capsys.readouterr().err.startswith("smartcommit: '.smartcommit' exists already\n")


def test_the_file_is_beside_plans(project: Repo) -> None:
    project.write(".smartcommit/plans/a.md", "# A\n")
    assert main(["policy", "--write"]) == 0
    assert (project.path / ".smartcommit" / "policy").is_file()


def test_nothing_to_propose_is_said(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(repo.path)
    assert main(["policy"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("nothing to propose: ")
    assert "\nto write rules of your own, see " in shown


def test_what_is_named_is_printed_safely_and_in_few_lines(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = "".join(f"  rule-{number}: [2, always]\n" for number in range(30))
    repo.write(".commitlintrc.yml", f'rules:\n  subject-full-stop: [2, never, "\\e[31m\\nx"]\n{rules}')
    monkeypatch.chdir(repo.path)
    assert main(["policy"]) == 0
    shown = capsys.readouterr().out
    assert "\x1b" not in shown
    assert "\nnot taken over: subject-full-stop never \\x1b[31m\\x0ax: there is no setting for it\n" in shown
    assert shown.count("\nnot taken over: ") == 21
    assert "\nnot taken over: 11 more\n" in shown
