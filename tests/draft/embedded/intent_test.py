"""What the name of a branch says of a change, and when a draft says it, offers it, or leaves it."""

from smartcommit.change.facts import ChangeFacts
from smartcommit.change.history import History, PastCommit
from smartcommit.config import Settings
from smartcommit.draft.embedded.drafter import draft
from smartcommit.draft.embedded.intent import (
    BranchName,
    choose_part,
    read_branch_name,
    read_unfinished,
    say_branch,
    say_words,
    weigh_type,
)
from smartcommit.draft.embedded.view import ORIGINS, ChangeView, Purpose
from tests.support.changes import make_diff, make_hunk
from tests.support.table import rows

HOSTS = make_diff(
    "src/hosts.py", make_hunk(["    if not hosts.readAll(JSON):", "        return True"], ["    keep(hosts)"])
)
SWITCH = make_diff("a.toml", make_hunk(["telemetry = false"], ["telemetry = true"]))


@rows(
    ("name", "kind", "words"),
    ("fix/reject-empty-hosts", "fix", "reject empty hosts"),
    ("anna/feature/PROJ-12-read_all.hosts", "feat", "read all hosts"),
    ("AB-7-empty-hosts", None, "empty hosts"),
    ("fix/123-fix-empty-hosts-2", "fix", "empty hosts"),
    ("gh-12-fixEmptyHosts", "fix", "empty hosts"),
    ("empty-hosts-fix", "fix", "empty hosts"), ("report-hosts-fix", "fix", "report hosts"),
    ("ko-fix-empty-hosts", "fix", "empty hosts"),
    ("chore/drop-python-3.7", "chore", "drop python 3.7"),
    ("hotfix/2.3.1-empty-hosts", "fix", "empty hosts"),
    ("2024-03-empty-hosts", None, "empty hosts"),
    ("\u2728-add-empty-hosts", None, "add empty hosts"),
    ("claude/empty-hosts-011CV4Xyz", None, "empty hosts"),
    ("fix-umlaute-in-größe", "fix", "umlaute in größe"),
    ("add-review-page", None, "add review page"),
    # A number behind a word is no ticket, and a version keeps its dot.
    ("support-15-char-names", None, "support 15 char names"),
    ("anna/eng-42-empty-hosts", None, "empty hosts"),
    ("feat-123-named-hosts", "feat", "named hosts"),
    ("drop-hosts-and-add-docs", None, "drop hosts and add docs"),
    ("bugfix-1212-empty-hosts", "fix", "empty hosts"),
    # Dates and tickets go wherever they stand, and so does what may be a secret.
    ("20240102-drop-empty-hosts", None, "drop empty hosts"),
    ("bug/3021_empty_hosts", "fix", "empty hosts"),
    ("empty-hosts-API-340", None, "empty hosts"), ("empty-hosts-gh-7", None, "empty hosts"),
    ("use-hash-SHA-256", None, "use hash SHA 256"),
    ("password-fluffy77-in-hosts", None, "password in hosts"),
    ("password-reset-page", None, "password reset page"),
    ("copilot/fix-1c7f2c1e-58d2-4f0b-9d0e-4a8f6d2f6bcd", None, ""),
    ("revert-118-feat/empty-hosts", "revert", "revert empty hosts"), ("revert-118-main", None, ""),
    # The type is the word nearest to what is done, unless it is what is mended.
    ("feature/refactor-empty-hosts", "refactor", "empty hosts"),
    ("fix/build-options", "fix", "build options"),
    ("test/fix-empty-hosts", "test", "fix empty hosts"),
    ("run-specific-tests", None, "run specific tests"), ("more-hosts-tests", "test", "more hosts tests"),
    # A defect is mended, unless it is what is reported.
    ("42-crash-of-hosts", "fix", "crash of hosts"), ("add-crash-page", None, "add crash page"),
    ("support-hosts-42", None, "support hosts 42"), ("empty-hosts-42", None, "empty hosts"),
    # A person and a ticket of many digits go, however many there are.
    ("anna-log-12140-core-align-empty-hosts", None, "core align empty hosts"),
    ("anna-log-11929-log-11936-drop-hosts", None, "drop hosts"), ("ann_team-4711_drop_hosts", None, "drop hosts"),
    ("drop-node-2048-hosts", None, "drop node 2048 hosts"),
    # A type at the end is none of the words, unless it is what is added or removed.
    ("empty-hosts-feat", "feat", "empty hosts"), ("named_hosts_feature", "feat", "named hosts"),
    ("drop-hosts-feature", None, "drop hosts feature"),
    # What is cut in the middle says nothing.
    ("keep-" + "-".join(["hosts"] * 12), None, ""),
    # These say nothing.
    ("release1.4", None, ""), ("prepare-release-1.4", None, ""), ("rc-2", None, ""),
    ("main", None, ""), ("dev", None, ""), ("anna-patch-1", None, ""), ("my-branch", None, ""),
    ("release/1.4", None, ""), ("renovate/all-hosts", None, ""), ("fix/123", "fix", ""),
    ("feat/PROJ-12", "feat", ""), ("address-review-comments", None, ""), ("", None, ""),
    ("a" * 4000, None, ""),
)  # fmt: skip
def test_a_branch_names_a_type_and_words(name: str, kind: str | None, words: str) -> None:
    assert read_branch_name(name) == BranchName(kind, tuple(words.split()))


@rows(
    ("name", "said"),
    ("fix/reject-empty-hosts", "reject empty hosts"),
    # The names of the change are spelled as there.
    ("readall-json-hosts", "readAll JSON hosts"),
    ("reject-empty-hsots", "reject empty hosts"),
    ("readall-returns-hosts", "readAll returns hosts"),
    # What looks random goes, unless the change shows it.
    ("claude/reject-empty-hosts-Xk29d", "reject empty hosts"), ("reject-empty-hosts-3f8a", "reject empty hosts"),
    ("claude/reject-empty-hosts-as-JSON", "reject empty hosts as JSON"),
    ("claude/Xk29d-3f8a", None), ("use-i18n-for-hosts", "use i18n for hosts"),
    # A feature without a verb is added; a number is a version if it is shown.
    ("feat/named-hosts", "add named hosts"),
    ("support-hosts-42", "support hosts"),
    # The author comes first.
    ("ada-reject-empty-hosts", "reject empty hosts"),
    # Another word that looks alike is no misspelling.
    ("reject-posts-of-hosts", "reject posts of hosts"),
    # A word is missing, or all words fit any change.
    ("has-hosts", None), ("when-hosts-are-empty", None), ("empty-hosts-of", None), ("hosts-r", None),
    ("analyze-code-and-propose-improvements", None), ("find-and-fix-a-bug-in-codebase", None),
    # A question, a contraction, and a secret in parts.
    ("why-are-hosts-empty", None), ("can-we-drop-empty-hosts", None),
    ("dont-read-empty-hosts", "do not read empty hosts"),
    ("reject-hosts-ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8", None),
    # Only the verb is shown.
    ("reject-feed", None),
    # The change shows nothing of a short name, and one word says too little.
    ("fix/navbar-overlap", None),
    ("hosts", None),
    ("fix/use-ghp_16C7e42F292c6912E7710c838347Ae178B4a-for-hosts", None),
)  # fmt: skip
def test_the_name_of_a_branch_is_said_in_words(name: str, said: str | None) -> None:
    view = ChangeView(ChangeFacts([HOSTS]), purpose=Purpose(name, author=["ada"]))
    assert [statement.text for statement in say_branch(view)] == [said] * (said is not None)


def test_a_verb_and_a_version_are_read_from_the_lines() -> None:
    matrix = make_diff("ci.yml", make_hunk(["django: ['3.2', '4.2']"], ["django: ['3.2']"]))
    gone = make_diff("a.py", make_hunk([], ["retry_delay = 1"]))
    for name, diff, said in (
        ("support-django-42", matrix, "support django 4.2"), ("django-4.2", matrix, "support django 4.2"),
        ("retry-delay", gone, "remove retry delay"),
    ):  # fmt: skip
        view = ChangeView(ChangeFacts([diff]), purpose=Purpose(name))
        assert [statement.text for statement in say_branch(view)] == [said]


def test_a_name_of_which_nothing_is_shown_is_offered_alone() -> None:
    purpose = Purpose("remove-login-page-from-settings")
    made = draft(ChangeFacts([SWITCH]), History(()), Settings(environment={}), purpose=purpose)
    assert "login" not in made.text
    assert made.candidates[0] == "remove login page from settings"


def test_a_sentence_goes_before_what_the_lines_show_and_two_words_do_not() -> None:
    edit = make_diff("a.py", make_hunk(["patience = 20"], ["patience = 10"]))
    for name, said in (("more-patience-with-slow-hosts", "more patience with slow hosts"), ("patience-value", "20")):
        made = draft(ChangeFacts([edit]), History(()), Settings(environment={}), purpose=Purpose(f"fix/{name}"))
        assert said in made.text


@rows(
    ("name", "is_stated"),
    ("keep-empty-hosts", True), ("cleanup-empty-hosts", True), ("export-empty-hosts", True),
    # Nouns in a row are no sentence, unless they tell of a defect or a word joins them.
    ("small-empty-hosts", False), ("fix/small-empty-hosts-list", False), ("returns-empty-hosts-in-json", False),
    ("feat/clonecopy-a-host", False), ("fix/hosts-bug-empty-json", True), ("fix/empty-hosts-in-json", True),
    ("fix/empty-hosts-issue", True), ("hosts-parsing-crash", True), ("fix/hosts-in-json", False),
)  # fmt: skip
def test_a_name_that_is_no_sentence_is_offered_alone(name: str, is_stated: bool) -> None:
    view = ChangeView(ChangeFacts([HOSTS]), purpose=Purpose(name))
    assert [statement.kind.prior > 0.3 for statement in say_branch(view)] == [is_stated]


def test_what_only_grows_is_said_to_be_added() -> None:
    hook = make_diff("a.ts", make_hunk(["  finally: {", "    runFinally(hook);", "  }", "  done();"], ["  done(1);"]))
    view = ChangeView(ChangeFacts([hook]), purpose=Purpose("finally-hook"))
    assert [statement.text for statement in say_branch(view)] == ["add finally hook"]


@rows(
    ("name", "diff", "is_said"),
    ("enable-telemetry", SWITCH, False), ("disable-telemetry", SWITCH, True),
    ("remove-named-hosts", make_diff("hosts.py", make_hunk(["named = hosts"])), False),
    ("add-named-hosts", make_diff("hosts.py", make_hunk([], ["named = hosts"])), False),
    ("feat/named-hosts", make_diff("hosts.py", make_hunk(["hosts"], ["hosts, named"])), False),
    ("drop-named-hosts", make_diff("1.sql", make_hunk(["DELETE FROM hosts WHERE named"])), True),
    ("increase-named-hosts", make_diff("a.py", make_hunk(["hosts = 10"], ["hosts = 20"])), False),
    ("increased-named-hosts", make_diff("a.py", make_hunk(["hosts = 10"], ["hosts = 20"])), False),
    ("reduce-named-hosts", make_diff("a.py", make_hunk(["hosts = 10"], ["hosts = 20"])), True),
    ("enable-named-hosts", make_diff("a.py", make_hunk(["disable_hosts = no"], ["disable_hosts = yes"])), True),
)  # fmt: skip
def test_what_a_change_contradicts_is_not_said(name: str, diff: object, is_said: bool) -> None:
    view = ChangeView(ChangeFacts([diff]), purpose=Purpose(name))  # type: ignore[list-item]
    assert bool(list(say_branch(view))) == is_said


def test_a_name_is_shown_by_files_of_its_type() -> None:
    guide = make_diff("docs/guide.md", make_hunk(["Run `make`."]))
    for name, count in (("docs-clarify-first-steps", 1), ("fix/clarify-first-steps", 0)):
        assert len(list(say_branch(ChangeView(ChangeFacts([guide]), purpose=Purpose(name))))) == count


@rows(
    ("summary", "is_said"),
    ("read all hosts", False), ("read hosts again", False), ("keep users", True),
    ("read hosts of other slow networks", True),
)  # fmt: skip
def test_a_name_is_not_said_again_after_a_commit_that_said_it(summary: str, is_said: bool) -> None:
    history = History([PastCommit("fix", None, summary, ())])
    purpose = Purpose("read-all-hosts", is_continued=True)
    made = draft(ChangeFacts([HOSTS]), history, Settings(environment={}), purpose=purpose)
    assert ("read all hosts" in made.candidates) == is_said


@rows(
    ("subject", "words"),
    ("wip: reorder columns", "reorder columns"), ("WIP reorder columns", "reorder columns"),
    ("[WIP] reorder columns", "reorder columns"), ("wip(api): reorder columns", "reorder columns"),
    ("feat(api): WIP - reorder columns", "reorder columns"), ("feat: reorder columns (wip)", "reorder columns"),
    ("work in progress: reorder columns", "reorder columns"), ("wip", ""), ("wip!", ""), ("", ""),
    ("feat: reorder columns", ""), ("wipe the columns", ""), ("fixup! feat: reorder columns", ""),
    ("wip: " + " " * 100_000 + "x", ""),
)  # fmt: skip
def test_what_an_unfinished_commit_says_are_its_words_without_the_mark(subject: str, words: str) -> None:
    assert read_unfinished(subject) == words


@rows(
    ("origin", "words", "said", "prior"),
    ("agent-prompts", "Rejects empty hosts", "reject empty hosts", 0.5),
    # The change shows nothing of it: a plan has other tasks, and what is amended is this change.
    ("agent-prompts", "align the navigation bar", "align the navigation bar", 0.3),
    ("plan-tasks", "align the navigation bar", None, 0),
    ("wip-commits", "align the navigation bar", "align the navigation bar", 0.5),
    ("plan-tasks", "Empty hosts", "empty hosts", 0.5),
    ("plan-tasks", "JSON hosts", "JSON hosts", 0.5),
    ("plan-tasks", "hosts", None, 0),
    ("wip-commits", "enable hosts", "enable hosts", 0.5),
)
def test_sentences_are_as_likely_as_the_change_shows(origin: str, words: str, said: str | None, prior: float) -> None:
    view = ChangeView(ChangeFacts([HOSTS]), purpose=Purpose(said={origin: words}))
    assert [(one.text, one.kind.prior) for one in say_words(view)] == [(said, prior)] * (said is not None)
    assert {one.kind.source for one in say_words(view)} <= {ORIGINS[origin]}


@rows(
    ("purpose", "meant"),
    (Purpose("fix/12-reject-hosts"), 0), (Purpose("disable-telemetry"), 1), (Purpose("mend-the-parser"), None),
    # A word of both, few of the words, and one of each.
    (Purpose("keep-true"), None), (Purpose("hosts-of-other-projects-that-nobody-knows"), None),
    (Purpose("hosts-and-telemetry"), None), (Purpose("main"), None), (Purpose(""), None),
    (Purpose("disable-telemetry", said={"agent-prompts": "read all hosts as JSON"}), 0),
)  # fmt: skip
def test_what_the_author_said_is_about_one_part_or_none(purpose: Purpose, meant: int | None) -> None:
    parts = [
        ChangeFacts([HOSTS]),
        ChangeFacts([make_diff("a.toml", make_hunk(["telemetry = false"], ["keep = true"]))]),
    ]
    assert choose_part(purpose, parts) == meant
    turned = choose_part(purpose, parts[::-1])
    assert turned == (None if meant is None else 1 - meant)


def test_a_type_that_is_named_counts_less_in_later_commits() -> None:
    chances, types = {"feat": 0.6, "fix": 0.3, "docs": 0.1}, ("feat", "fix", "docs")
    assert next(iter(weigh_type(chances, Purpose("fix/hosts"), types))) == "fix"
    later = weigh_type(chances, Purpose("fix/hosts", is_continued=True), types)
    assert 0.5 < later["fix"] < weigh_type(chances, Purpose("fix/hosts"), types)["fix"]
    assert sum(later.values()) == 1
    assert weigh_type(chances, Purpose("main"), types) == chances
    # What files make sure stays, and so does a project without such a type.
    assert weigh_type({"docs": 1.0}, Purpose("fix/hosts"), types) == {"docs": 1.0}
    assert next(iter(weigh_type({"feat": 1.0}, Purpose("fix/hosts"), types))) == "fix"
    assert weigh_type(chances, Purpose("perf/hosts"), types) == chances


@rows(
    ("branch", "said", "told", "expected"),
    ("handle-empty-hosts", {}, None, "fix"), ("handling-empty-hosts", {}, None, "fix"),
    ("add-empty-hosts", {}, None, "feat"), ("hosts", {}, None, "fix"), ("update-hosts", {}, None, "fix"),
    # Words without a verb say nothing of the type, and a sentence says more than a name.
    ("empty-hosts-filter", {}, None, "fix"),
    ("add-hosts", {"agent-prompts": "Handle empty hosts"}, None, "fix"),
    # An entry of a changelog says most.
    ("add-hosts", {}, "fix", "fix"), ("fix/hosts", {}, "feat", "feat"), ("add-hosts", {}, "patch", "fix"),
)  # fmt: skip
def test_what_is_said_implies_a_type(branch: str, said: dict[str, str], told: str | None, expected: str) -> None:
    chances, types = {"fix": 0.5, "feat": 0.4, "chore": 0.1}, ("feat", "fix", "chore")
    assert next(iter(weigh_type(chances, Purpose(branch, said=said), types, told))) == expected
    # Later commits of a branch are about anything.
    later = weigh_type(chances, Purpose("add-empty-hosts", is_continued=True), types)
    assert later == chances
