"""What is put into every message, by real git: the ticket of the branch, and people who wrote the change too."""

import subprocess

import pytest

from smartcommit.config import Settings
from smartcommit.errors import ConfigError
from smartcommit.message.checks import check_header
from smartcommit.message.rules import LOWER_FIRST, Rules, fill_message
from tests.support.installation import Installation
from tests.support.repository import Repo
from tests.support.table import rows

ADA, BOB = "Ada Lovelace <ada@example.com>", "Bob <bob@example.com>"


@pytest.fixture
def branch(repo: Repo, installation: Installation) -> Repo:
    """A repository with both hooks, on a branch that names a ticket, in a project that asks for one."""
    repo.commit("feat: base", {"base": "1\n"})
    installation.add_hooks(repo, "prepare-commit-msg", "commit-msg")
    repo.git("checkout", "-q", "-b", "abc-12-login")
    repo.git("config", "smartcommit.ticket", "ABC-[0-9]+")
    return repo


def read_message(repo: Repo) -> str:
    return repo.git("log", "-1", "--format=%B").rstrip("\n")


@rows(
    ("options", "recorded"),
    (["-m", "feat: add it"], "feat: add it\n\nRefs: ABC-12"),
    (["-m", "feat: add it", "-m", "Why."], "feat: add it\n\nWhy.\n\nRefs: ABC-12"),
    (["-m", "feat: add it", "-m", "# kept"], "feat: add it\n\n# kept\n\nRefs: ABC-12"),
    (["-m", "feat: add it", "--trailer", "Cc: x"], "feat: add it\n\nCc: x\nRefs: ABC-12"),
    (["-m", "feat: add it", "-m", "Refs:"], "feat: add it\n\nRefs: ABC-12"),
    (["-m", "feat: add it (ABC-7)"], "feat: add it (ABC-7)"),
    (["-m", "fixup! feat: base"], "fixup! feat: base"),
    (["-m", "amend! feat: base", "-m", "feat: better ABC-1"], "amend! feat: base\n\nfeat: better ABC-1"),
    (["-m", "amend! feat: base", "-m", "feat: better"], None),
    (["-m", "added it"], None),
    (["--cleanup=verbatim", "-m", "feat: add it\n\n\n  x  \n"], "feat: add it\n\n\n  x  \n\nRefs: ABC-12"),
    (
        ["--cleanup=whitespace", "-e", "--no-status", "-m", "feat: add it\n\n#1\n\nWhy."],
        "feat: add it\n\n#1\n\nWhy.\n\nRefs: ABC-12",
    ),
)
def test_any_message_gets_the_ticket_of_the_branch(branch: Repo, options: list[str], recorded: str | None) -> None:
    branch.git("config", "smartcommit.addTicket", "true")
    head = branch.git("rev-parse", "HEAD").strip()
    done = branch.run("commit", "--allow-empty", *options, env={"GIT_EDITOR": "true"})
    assert (done.returncode == 0) == (recorded is not None), done.stderr.decode()
    assert recorded is None or read_message(branch) == recorded
    # A ticket that would be added is not missed beside another fault.
    assert (b"ticket" in done.stderr) == ("feat: better" in options)
    branch.git("reset", "-q", "--soft", head)


def test_a_commit_that_is_reworded_gets_the_ticket_of_the_branch_that_is_rebased(branch: Repo) -> None:
    branch.stage({"a": "1\n"})
    branch.git("commit", "--no-verify", "-m", "feat: add")
    branch.git("config", "smartcommit.addTicket", "true")
    editors = {"GIT_SEQUENCE_EDITOR": "sed -i s/^pick/reword/", "GIT_EDITOR": "sed -i 's/add$/add it/'"}
    done = branch.run("rebase", "-i", "HEAD~1", env=editors)
    assert done.returncode == 0, done.stderr.decode()
    assert read_message(branch) == "feat: add it\n\nRefs: ABC-12"


def test_without_the_setting_or_a_ticket_in_the_branch_the_message_stays(branch: Repo) -> None:
    assert branch.run("commit", "--allow-empty", "-m", "feat: add it").returncode == 1
    branch.git("config", "smartcommit.warnings", "ticket")
    branch.git("commit", "--allow-empty", "-m", "feat: add it")
    assert read_message(branch) == "feat: add it"
    branch.git("config", "smartcommit.addTicket", "true")
    branch.git("checkout", "-q", "-b", "login")
    branch.git("commit", "--allow-empty", "-m", "feat: add it")
    assert read_message(branch) == "feat: add it"


@rows("sign_off", [], ["--signoff"])
def test_a_co_author_is_taken_by_deleting_the_comment_string(branch: Repo, sign_off: list[str]) -> None:
    for name in (ADA, BOB, f"Me <{branch.git('log', '-1', '--format=%ae').strip()}>"):
        branch.git("config", "--add", "smartcommit.coauthors", name)
    # The user's own come first.
    branch.write(".smartcommit", "[smartcommit]\n" + "".join(f'coauthors = "P{n} <p{n}@x>"\n' for n in range(30)))
    branch.git("config", "smartcommit.wholeDrafts", "true")
    branch.stage({"login.py": f"def login():\n    return {len(sign_off)}\n"})
    listing = branch.path.parent / "listing"
    taken = branch.editor(f"cp \"$1\" '{listing}'; sed -i 's/^# Co-authored-by: Ada/Co-authored-by: Ada/' \"$1\"")
    branch.git("commit", *sign_off, env={"GIT_EDITOR": taken})
    offered = [line for line in listing.read_text().split("\n") if "Co-authored-by" in line]
    assert offered[:3] == [f"# Co-authored-by: {ADA}", f"# Co-authored-by: {BOB}", "# Co-authored-by: P0 <p0@x>"]
    assert len(offered) == 20
    trailers = branch.git("log", "-1", "--format=%(trailers:only,unfold)").split("\n")
    assert f"Co-authored-by: {ADA}" in trailers
    assert ("Signed-off-by" in "".join(trailers)) == bool(sign_off)
    assert ("Refs: ABC-12" in trailers) == (not sign_off)


def test_no_co_author_is_recorded_where_git_keeps_comments(branch: Repo) -> None:
    branch.git("config", "smartcommit.coauthors", ADA)
    branch.stage({"login.py": "def login():\n    return 0\n"})
    branch.git("commit", "--no-edit")
    assert ADA not in read_message(branch)
    branch.stage({"login.py": "def login():\n    return 1\n"})
    branch.git("-c", "commit.cleanup=whitespace", "commit", env={"GIT_EDITOR": "true"})
    assert ADA not in read_message(branch)


def test_what_is_no_message_yet_or_has_no_room_for_the_ticket_stays(branch: Repo) -> None:
    for name, value in {"smartcommit.addTicket": "true", "commit.template": "template"}.items():
        branch.git("config", name, value)
    branch.write("template", "feat: add it\n")
    done = branch.run("commit", "--allow-empty", env={"GIT_EDITOR": "true"})
    assert (done.returncode, b"you did not edit the message" in done.stderr) == (1, True)
    branch.git("config", "smartcommit.headerForm", FORM)
    done = branch.run("-c", "i18n.commitEncoding=ISO-8859-1", "commit", "--allow-empty", "-m", "feat: add it")
    assert (done.returncode, b"no ticket found" in done.stderr) == (1, True)


FORM = "{emoji} {type}({scope}): {summary} ({ticket})"


@rows(
    ("form", "branch_name", "drafted", "given"),
    (FORM, "abc-12-x", "✨ feat: add login (ABC-12)", "🐛 fix: a crash (ABC-12)"),
    ("{type}({scope}): {ticket} {summary}", "abc-12-x", "feat: ABC-12 add login", "fix: ABC-12 a crash"),
    ("{type}({scope}): [{ticket}] {emoji} {summary}", "abc-12-x", "feat: [ABC-12] ✨ add login",
     "fix: [ABC-12] 🐛 a crash"),
    ("{type}({scope}): {emoji} {summary}", "abc-12-x", "feat: ✨ add login\n\nRefs: ABC-12",
     "fix: a crash\n\nRefs: ABC-12"),
    # What is refused is what the next commit opens with.
    (FORM, "x", "✨ feat: add login", None),
)  # fmt: skip
def test_headers_suit_the_project(branch: Repo, form: str, branch_name: str, drafted: str, given: str | None) -> None:
    settings = {"ticket": "ABC-[0-9]+", "addTicket": "true", "summaryCase": "lower-first", "headerForm": form}
    for name, value in settings.items():
        branch.git("config", f"smartcommit.{name}", value)
    branch.git("checkout", "-q", "-B", branch_name)
    head = branch.git("rev-parse", "HEAD").strip()
    branch.stage({"login.py": "def login():\n    return 0\n"})
    done = branch.run("commit", env={"GIT_EDITOR": "true"})
    assert (done.returncode == 0) == (given is not None), done.stderr.decode()
    if given is None:
        assert (branch.path / ".git/smartcommit/refused-message").read_text().startswith(f"{drafted}\n\nRefs:")
    else:
        assert read_message(branch) == drafted == fill_message(drafted, form, "ABC-12")
        branch.git("commit", "--allow-empty", "-m", "fix: a crash")
        assert read_message(branch) == given
    branch.git("reset", "-q", "--hard", head)


@rows(
    ("header", "form", "filled"),
    ("🔥 fix: a", FORM, "🔥 fix: a (A-1)"),
    ("📌 deps(a)!: b", FORM, "📌 deps(a)!: b (A-1)"),
    ("fix: 🔥 a", "{type}({scope}): {ticket} {emoji} {summary}", "fix: A-1 🔥 a"),
)
def test_an_emoji_that_the_user_has_chosen_stays(header: str, form: str, filled: str) -> None:
    assert fill_message(header, form, "A-1") == filled


def test_a_split_writes_headers_in_the_form_of_the_project(branch: Repo, installation: Installation) -> None:
    branch.git("config", "smartcommit.headerForm", FORM)
    # There is room for what the form adds.
    branch.git("config", "smartcommit.headerLimit", "25")
    branch.write("shop/login.py", "def login():\n    return 0\n")
    branch.write(".github/workflows/ci.yml", "on: push\n")
    command = [installation.script("git-smart-commit"), "--yes"]
    subprocess.run(command, cwd=branch.path, check=True, capture_output=True)
    subjects = branch.git("log", "--format=%s", "HEAD~2..").splitlines()
    assert sorted(subject.split()[0] for subject in subjects) == ["✨", "👷"]
    assert all(subject.endswith(" (ABC-12)") for subject in subjects)


def test_a_choice_below_an_open_header_with_an_emoji_is_taken(branch: Repo) -> None:
    branch.git("config", "smartcommit.addTicket", "true")
    branch.git("config", "smartcommit.headerForm", FORM)
    branch.commit("feat: more ABC-1", {"a.py": "def a(x):\n    return x\n", "b.py": "def b(x):\n    return x\n"})
    branch.stage({"a.py": "def a(x):\n    return -x\n", "b.py": "def b(x):\n    return x // 2 + 1\n"})
    listing = branch.path.parent / "listing"
    take = "1,/before/b;s/^# \\(.*(ABC-12)\\)$/\\1/;T;:a;n;ba"
    branch.git("commit", env={"GIT_EDITOR": branch.editor(f"cp \"$1\" '{listing}'; sed -i '{take}' \"$1\"")})
    opened, *comments = listing.read_text().split("\n")
    assert opened == "🐛 fix: "
    assert f"# {read_message(branch)}" in comments


@rows(
    ("line", "codes"),
    ("✨ feat: add x", []),
    (":sparkles: feat(a)!: add x", []),
    ("feat: add x", []),
    ("✨ feat: ABC-12 add x", []),
    ("✨ feat: ABC-12 Add x", ["summary-case"]),
    ("✨ feat: ABC-12 added x", ["summary-imperative"]),
    ("✨ Feat: add x", ["type-case"]),
    ("✨ add x", ["header-form"]),
    ("✨ feat: ABC-1  x", []),
    ("✨✨", ["header-form"]),
    ("é feat: add x", ["header-form"]),
    ("✨ ", ["header-form"]),
)
def test_the_check_accepts_what_the_form_makes(line: str, codes: list[str]) -> None:
    form = "{emoji} {type}({scope}): {ticket} {summary}"
    found = check_header(line, Rules(header_form=form, summary_case=LOWER_FIRST, imperative=True))
    assert [violation.code for violation in found] == codes
    for violation in found:
        for mended in violation.replacement or ():
            assert mended.startswith("✨ ")
    if not codes and not line.startswith("feat"):
        assert [violation.code for violation in check_header(line, Rules())] == ["header-form"]


@rows(
    "form",
    "{ticket} {type}({scope}): {summary}", "{type}: {summary}", "{type}({scope}): x", "{type}({scope}): {summary}  x",
     "{type}({scope}): {summary} {summary}", "{type}({scope}): {summary} {author}", "x {type}({scope}): {summary}",
     "{type}({scope}): {ticket}{emoji} {summary}", "{type}({scope}): {ticket}{0.x} {summary}",
     "{type}({scope}): \x1b[31m {summary}", "{type}({scope}): \u202e {summary}",
     f"{{type}}({{scope}}): {'x' * 200} {{summary}}",
)  # fmt: skip
def test_a_form_that_the_check_would_refuse_is_no_form(form: str) -> None:
    with pytest.raises(ConfigError, match="headerForm"):
        Settings(git=[("smartcommit.headerform", form)], environment={})
