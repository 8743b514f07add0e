"""`smartcommit check`: one verdict for files, texts, ranges and jj changes."""

import json
import re
import subprocess
from pathlib import Path
from random import Random

import pytest

from smartcommit.cli import main
from smartcommit.jj import description
from smartcommit.message import cleanup
from smartcommit.message.characters import is_unsafe
from smartcommit.message.header import Header, parse_header
from smartcommit.message.parse import Message
from smartcommit.message.plan_sections import Task
from smartcommit.message.report import format_text
from smartcommit.message.rules import DEFAULT_TYPES, PLAN_TYPES, Rules
from smartcommit.verdict import check_file
from tests.support.commands import Command
from tests.support.documentation import find_anchors
from tests.support.installation import Installation
from tests.support.profile import repeat
from tests.support.repository import Repo
from tests.support.table import rows
from tests.support.tty import run_on_terminal

ROOT = Path(__file__).parent.parent.parent
BAD = "FEAT(API):x\nbody\n\nConstraints:\n- never: y\n\nTasks [ ]:\n- [X] a\n  - [x] b\n"
MENDED = "feat(api): x\n\nbody\n\nConstraints:\n- Never: y\n\nTasks [ ]:\n- [x] a\n  - [x] b\n"


@pytest.fixture
def here(inside: Repo) -> Repo:
    inside.commit("feat: base", {"base": "1\n"})
    return inside


def check(*arguments: str) -> int:
    return main(["check", *arguments])


STRICT = "ticket = AB-[0-9]+\n\trequired = plan\n\tsignOff = require\n\ttypes = feat"


@rows(
    ("policy", "arguments", "status"),
    ("", ["--message", "feat: x"], 0),
    ("", ["--message", "oops"], 1),
    ("", ["--message", "# feat: x"], 1),
    ("", ["--message", ""], 1),
    ("", ["missing"], 2),
    ("", [], 2),
    ("", ["--message", "feat: x", "file"], 2),
    ("", ["--fix", "--message", "feat: x"], 2),
    ("", ["--title", "feat: x (#12)"], 0),
    ("", ["--title", " feat: x "], 0),
    ("", ["--title", "fixup! feat: base"], 1),
    ("", ["--title", ""], 1),
    ("", ["--title", "feat: x\nbody"], 2),
    ("", ["--title", "feat: x", "--message", "feat: x"], 2),
    ("", ["--range", "no-such-branch"], 2),
    ("", ["--range", "--output=x"], 2),
    ("", ["--range", "HEAD"], 0),
    (STRICT, ["--message", "feat: x"], 1),
    (STRICT, ["--title", "feat: x"], 0),
    (STRICT, ["--title", "docs: x"], 1),
    ("sumaryLimit = 10", ["--message", "feat: x"], 2),
)
def test_the_status_says_good_refused_or_unreadable(here: Repo, policy: str, arguments: list[str], status: int) -> None:
    here.write(".smartcommit/policy", f"[smartcommit]\n\t{policy}\n" if policy else "")
    assert check(*arguments) == status
    assert not (here.path / "x").exists()


def test_a_file_is_judged_as_a_message_file(here: Repo, smartcommit: Command) -> None:
    here.write("message", "# comment\n\n\nfeat: x\n\n# more\noops\n\nTasks [ ]:\n")
    assert smartcommit("check", "message", status=1).out.startswith("message:9:1: tasks-empty ")


def test_what_git_writes_of_merges_and_reverts_passes_as_in_a_hook(here: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    here.git("checkout", "-q", "-b", "topic")
    here.commit("feat: one", {"one": "1\n"})
    here.git("checkout", "-q", "main")
    for command in (["merge", "--no-ff", "--no-commit", "topic"], ["revert", "--no-commit", "topic"]):
        here.git(*command)
        here.write("MERGE_MSG", "Merge whatever\n")
        assert (check(".git/MERGE_MSG"), check("MERGE_MSG")) == (0, 1), command
        monkeypatch.chdir(here.path / ".git")
        assert check("MERGE_MSG") == 0, command
        monkeypatch.chdir(here.path)
        here.git("commit", "--quiet", "--no-edit")
    assert check(".git/COMMIT_EDITMSG") == 0
    here.write("COMMIT_EDITMSG", here.git("log", "-1", "--format=%B"))
    assert check("COMMIT_EDITMSG") == 1


def test_a_report_has_colours_on_the_terminal_of_a_person(here: Repo, installation: Installation) -> None:
    command = [installation.script("smartcommit"), "check", "--message", "oops"]
    for agent, colour in (("no", True), ("yes", False)):
        env = {"NO_COLOR": "", "SMARTCOMMIT_CODING_AGENT": agent}
        shown, status = run_on_terminal(command, cwd=here.path, env=env)
        assert (status, "\x1b[" in shown) == (1, colour)


def test_the_report_has_place_line_caret_expectation_and_correction(here: Repo, smartcommit: Command) -> None:
    here.write("message", "# above\nfeat(API): x\n")
    assert smartcommit("check", "message", status=1).out == (
        "message:2:6: scope-case the scope is not lower case\n"
        "  feat(API): x\n"
        "       ^^^\n"
        "  expected 'api'\n"
        "  corrected: feat(api): x\n"
        "  to allow it, run: git config --local --add smartcommit.scopeForm word\n"
    )


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_fix_mends_what_is_mechanical_and_keeps_every_other_byte(here: Repo, ending: str) -> None:
    around = "# comment with trailing blanks  \n\n"
    path = here.write("message", (around + BAD + around).replace("\n", ending))
    assert check("--fix", "message") == 0
    assert path.read_bytes() == (around + MENDED + around).replace("\n", ending).encode()
    before = path.read_bytes()
    assert check("--fix", "message") == 0
    assert path.read_bytes() == before
    here.write("message", "fixx: x\n")
    assert check("--fix", "message") == 1
    assert path.read_text() == "fixx: x\n"


def test_a_line_of_blanks_is_blank_where_the_message_is_recorded_verbatim(here: Repo) -> None:
    here.git("config", "commit.cleanup", "verbatim")
    text = "Feat: x\r\n\r\nwhy\r\n \nConstraints: none\n\t\nSigned-off-by: A <a@b>\n"
    path = here.write("message", text)
    assert check("--fix", "message") == 0
    assert path.read_bytes() == text.replace("Feat", "feat").encode()


def test_json_holds_every_violation_with_its_anchor(here: Repo, smartcommit: Command) -> None:
    here.write("message", BAD)
    answer = json.loads(smartcommit("check", "--format", "json", "message", status=1).out)
    assert answer["version"] == 1
    ((name, verdict, violations),) = [(m["name"], m["verdict"], m["violations"]) for m in answer["messages"]]
    assert (name, verdict) == ("message", "refused")
    assert [(v["code"], v["level"], v["line"], v["column"]) for v in violations] == [
        ("type-case", "error", 1, 1),
        ("scope-case", "error", 1, 6),
        ("header-space", "error", 1, 11),
        ("body-blank", "error", 2, 1),
        ("constraints-case", "error", 5, 3),
        ("tasks-case", "warning", 8, 4),
    ]
    anchors = find_anchors(ROOT / "docs" / "reference.md")
    for violation in violations:
        assert violation["anchor"].partition("#")[2] in anchors


def test_a_range_lets_through_what_history_proves_and_no_imitation_of_it(here: Repo, smartcommit: Command) -> None:
    wrong = here.commit("feat: wrong", {"wrong": "1\n"})
    here.git("revert", "--no-edit", wrong)
    here.git("revert", "--no-edit", "HEAD")
    here.git("checkout", "-q", "-b", "side", "HEAD~1")
    here.commit("feat: side", {"side": "1\n"})
    here.git("checkout", "-q", "main")
    here.git("merge", "-q", "--no-ff", "--no-edit", "side")
    smartcommit("check", "--range", "HEAD")
    for forged in (
        'Revert "feat: wrong"\n\nThis reverts commit 0123456789012345678901234567890123456789.\n',
        f'Revert "feat: else"\n\nThis reverts commit {wrong}.\n',
        "Merge branch 'side'\n",
        "fixup! feat: wrong\n",
        "squash! feat: wrong\n",
    ):
        here.commit(forged)
        smartcommit("check", "--range", "HEAD~1..HEAD", status=1)
        here.git("reset", "-q", "--hard", "HEAD~1")


def test_commits_of_bots_are_exempt_in_a_range(here: Repo, smartcommit: Command) -> None:
    here.write("file", "1\n")
    here.git("add", "file")
    for author in ("dependabot[bot]", "bot", "Release Robot"):
        here.git("commit", "-q", "--allow-empty", "--no-verify", "-m", "Bump x", f"--author={author} <a@example.com>")
    for patterns, refused in (((), 2), (("*[BOT]", "release *"), 1), (("bo?t",), 3), (("",), 3)):
        here.write(".smartcommit", "[smartcommit]\n" + "".join(f"\texemptAuthors = {each}\n" for each in patterns))
        said = smartcommit("check", "--range", "HEAD~3..", status=1)
        assert said.err == f"smartcommit: 3 commits checked, {3 - refused} exempt, {refused} rejected\n"
        shown = smartcommit("check", "--range", "HEAD~3..", "--format", "json", status=1)
        found = [(message["verdict"], message["exempt"]) for message in json.loads(shown.out)["messages"]]
        assert ("exempt", "by dependabot[bot]") in found or refused == 3
        assert found.count(("refused", None)) == refused


def test_a_shallow_clone_that_lacks_the_range_is_told_how_to_get_it(
    here: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, smartcommit: Command
) -> None:
    base = here.git("rev-parse", "HEAD").strip()
    here.commit("feat: more")
    here.git("clone", "-q", "--depth=1", here.path.as_uri(), str(tmp_path / "shallow"))
    monkeypatch.chdir(tmp_path / "shallow")
    assert "git fetch --unshallow" in smartcommit("check", "--range", f"{base}..HEAD", status=2).err


def test_a_range_needs_a_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, smartcommit: Command) -> None:
    monkeypatch.chdir(tmp_path)
    # git words it in another way if it stops at a mount point.
    monkeypatch.setenv("GIT_DISCOVERY_ACROSS_FILESYSTEM", "1")
    assert smartcommit("check", "--range", "HEAD~2..HEAD", status=2).err.splitlines() == [
        "smartcommit: cannot read 'HEAD~2..HEAD': not a git repository (or any of the parent directories): .git",
        "hint: run this inside a repository",
    ]


def test_the_commands_for_several_unknown_types_add_up(here: Repo, smartcommit: Command) -> None:
    base = here.commit("chore: base")
    for kind in ("alpha", "beta", "gamma"):
        here.commit(f"{kind}: add a file")
    shown = smartcommit("check", "--range", f"{base}..HEAD", status=1)
    commands = re.findall(r"git config .* smartcommit\.types .*", shown.out)
    assert len(commands) == 3
    for line in commands:
        subprocess.run(line, shell=True, cwd=here.path, check=True)
    here.commit("chore: add a policy", {"x": "x"})
    smartcommit("check", "--range", f"{base}..HEAD")
    smartcommit("check", "--message", "feat: add x")
    smartcommit("check", "--message", "delta: add x", status=1)


def test_a_range_costs_two_processes_of_git_log(here: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(30):
        here.commit(f"feat: number {number}")
    trace = tmp_path / "trace"
    monkeypatch.setenv("GIT_TRACE2_EVENT", str(trace))
    assert check("--range", "HEAD") == 0
    started = [json.loads(line)["argv"] for line in trace.read_text().splitlines() if '"event":"start"' in line]
    assert len([argv for argv in started if "log" in argv]) == 2
    assert len(started) <= 5


CREDITED = "feat: x\n\nwhy\n\nMade with [Cursor](https://cursor.com)\n\nCo-authored-by: Bo <bo@example.org>\n"


@pytest.mark.parametrize(
    ("attribution", "fixed"),
    [("allow", CREDITED), ("forbid", "feat: x\n\nwhy\n\n\nCo-authored-by: Bo <bo@example.org>\n")],
)
def test_credits_to_tools_are_judged_and_fixed(here: Repo, smartcommit: Command, attribution: str, fixed: str) -> None:
    here.write(".smartcommit", f"[smartcommit]\n\tattribution = {attribution}\n")
    path = here.write("message", CREDITED)
    here.commit(CREDITED)
    shown = smartcommit("check", "message", status=int(attribution != "allow"))
    assert check("--range", "HEAD~1..HEAD") == (attribution != "allow")
    assert ("  corrected: without this line\n" in shown.out) == (attribution != "allow")
    smartcommit("check", "--fix", "message")
    assert path.read_text() == fixed


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("feat: x", 1),
        ("feat: x\n\nwhy\n\nsigned-off-by: Ada <ada@example.invalid>", 0),
        ("feat: x\n\nSigned-off-by: Ada <ada@example.invalid>\n\nwhy", 1),
        ("build: x\n\nBumps x.\n\n---\n- dependency-name: x\n...\n\nSigned-off-by: Ada <ada@example.invalid>", 0),
        ("feat: x\n\nBREAKING CHANGE: y\nSigned-off-by : Ada <ada@example.invalid>", 1),
    ],
)
def test_a_sign_off_can_be_required(here: Repo, text: str, status: int) -> None:
    assert check("--message", text) == 0
    here.write(".smartcommit", "[smartcommit]\n\tsignOff = require\n")
    assert check("--message", text) == status
    here.commit(text)
    assert check("--range", "HEAD~1..HEAD") == status


CLEANINGS = [
    cleanup.Cleaning(mode, comment=comment, cut=cut, editor=editor)
    for mode, comment, cut, editor in [
        (cleanup.STRIP, b"#", False, True),
        (cleanup.STRIP, b";", True, True),
        (cleanup.WHITESPACE, b"#", False, False),
        (cleanup.WHITESPACE, b"#", True, True),
        (cleanup.VERBATIM, b"#", False, False),
        (cleanup.VERBATIM, b"", True, True),
    ]
]
PIECES = (
    b"feat: x", b"Constraints:", b"- Never: y", b"Tasks [ ]:", b"  - [x] a", b"Key: v", b"\n", b"\n\n", b"\r\n", b"\0",
    b"\xff", b"\x1b[0m", b"# c", b"(", b")", b"!", b":", b"\xe2\x80\xae", b"\xe2\x80\x8d", b"\xed\xa0\x80", b"---",
)  # fmt: skip


@rows("seed", *range(4))
def test_random_texts_get_a_verdict_and_a_safe_report_in_six_cleanup_modes(seed: int) -> None:
    random = Random(seed)
    for _ in range(repeat(fast=25, full=250)):
        count = random.randrange(16)
        text = random.randbytes(count * 4) if random.random() < 0.3 else b"".join(random.choices(PIECES, k=count))
        for cleaning in CLEANINGS:
            verdict = check_file(text, cleaning, Rules())
            report = format_text("file", verdict.lines, verdict.violations)
            assert len(report.encode()) <= 4096
            assert not any(map(is_unsafe, report.replace("\n", "")))
            assert verdict.refused or verdict.exempt or parse_header(verdict.lines[0])


def test_all_that_writes_messages_agrees_with_the_check_of_a_new_repository(inside: Repo, smartcommit: Command) -> None:
    for number, name in enumerate(DEFAULT_TYPES):
        inside.commit(f"{name}: x", {f"{name}.py": f"def {name}():\n    return {number}\n"})
        inside.stage({f"tests/test_{name}.py": f"def test_{name}():\n    assert {name}() == {number}\n"})
        drafted = smartcommit("draft").out
        assert drafted.startswith("test: ")
        inside.commit(drafted)
    for name in PLAN_TYPES:
        plan = Message(
            Header(name, "x"), constraints=["Never: y"], tasks=[Task("do it", completed=True)], finished=True
        )
        inside.commit(description.write(plan, [], Rules(types=PLAN_TYPES)))
    for path, content in {"feat.py": "def feat():\n    return 9\n", "docs/a.md": "# A\n", "Makefile": "all:\n"}.items():
        inside.write(path, content)
    smartcommit("split", "--yes")
    told = smartcommit("check", "--range", "HEAD")
    made = len(inside.subjects())
    assert made > 2 * len(DEFAULT_TYPES) + len(PLAN_TYPES) + 1
    assert f"smartcommit: {made} commits checked, 0 exempt, 0 rejected" in told.err


def test_a_range_does_not_excuse_itself(here: Repo) -> None:
    here.commit_daily("deps: bump", days=5)
    assert check("--range", "HEAD~1..HEAD") == 1
    here.commit("deps: y")
    assert check("--range", "HEAD~1..HEAD") == 0


@pytest.fixture
def judged(inside: Repo) -> Repo:
    """A repository with a good commit, a rejected one, one with a warning, a hostile one and a merge."""
    base = inside.commit("feat: base", {".smartcommit": "[smartcommit]\n\ttypes = feat\n\twarnings = body-blank\n"})
    inside.commit("oops, 100% wrong\nand no blank line\n\nTasks [ ]:\n")
    inside.commit("feat: x\nand no blank line")
    inside.commit("feat: \x1b[31m\u202e<&>\n\n::error::forged\r\n%0A]]>")
    inside.git("checkout", "-q", "-b", "side", base)
    inside.commit("feat: side")
    inside.git("checkout", "-q", "main")
    inside.git("merge", "-q", "--no-ff", "-m", "Merge side", "side")
    return inside


@pytest.mark.usefixtures("judged")
def test_github_gets_one_command_for_each_message_and_no_other(smartcommit: Command) -> None:
    lines = smartcommit("check", "--range", "HEAD", "--format", "github", status=1).out.splitlines()
    assert len(lines) == 3
    commands = [
        re.fullmatch(r"::(error|warning) title=([^:,\x00-\x1f]+)::([^\x00-\x1f\u202e]+)", line) for line in lines
    ]
    assert all(commands)
    assert sorted(found[1] for found in commands if found) == ["error", "error", "warning"]
    report = next(line for line in lines if "header-form" in line)
    assert "%3A header-form%2C body-blank%2C tasks-empty::" in report
    assert "%0A  oops, 100%25 wrong%0A" in report
    assert smartcommit("check", "--range", "side", "--format", "github").out == ""


@pytest.mark.parametrize("form", ["text", "json", "github"])
def test_every_format_says_how_many_were_checked_and_takes_files(judged: Repo, smartcommit: Command, form: str) -> None:
    told = smartcommit("check", "--range", "HEAD", "--format", form, status=1)
    assert told.err == "smartcommit: 6 commits checked, 1 exempt, 2 rejected\n"
    told = smartcommit("check", "--range", "side~1..side", "--format", form)
    assert told.err == "smartcommit: 1 commit checked, 0 exempt, 0 rejected\n"
    judged.write("a message", "oops\n")
    shown = smartcommit("check", "a message", "--format", form, status=1)
    assert "header-form" in shown.out
    assert shown.err == ""
