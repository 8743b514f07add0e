"""Every form in which models are known to answer, each ending in the message they meant or in the embedded draft."""

from __future__ import annotations

import json

import pytest

from smartcommit.draft.model.answer import cut_paragraphs, read_answer, resolve_type
from smartcommit.draft.model.substance import is_about, says_nothing
from smartcommit.draft.request import DraftRequest
from smartcommit.git.repo import Repository
from smartcommit.message.rules import DEFAULT_TYPES, PLAN_TYPES
from tests.draft.model import answer_forms as forms
from tests.support.repository import Repo
from tests.support.scripted_client import ask, calling, read_staged
from tests.support.table import rows

# What the embedded draft begins with; its type is not the first of the list.
EMBEDDED = "docs: add Herd section to README"
PLAIN = "fix: paint stripes\n"
TYPES = "feat fix docs refactor test chore"


@pytest.fixture(scope="module")
def staged(tmp_path_factory: pytest.TempPathFactory) -> DraftRequest:
    """The request for a change of documentation."""
    repo = Repo.init(tmp_path_factory.mktemp("answers") / "repo")
    for name, value in (("user.name", "A"), ("user.email", "a@example.invalid")):
        repo.git("config", name, value)
    repo.commit(files={"README.md": "# Zoo\n", ".smartcommit": f"[smartcommit]\n\ttypes = {TYPES}\n"})
    repo.stage({"README.md": "# Zoo\n\n## Herd\n\nZebras have stripes.\n"})
    return read_staged(Repository.find(str(repo.path)))


def args(**fields: object) -> dict[str, object]:
    return {"type": "fix", "summary": "paint stripes", **fields}


def tags(**fields: str) -> str:
    return "".join(f"<parameter={name}>\n{value}\n</parameter>\n" for name, value in fields.items())


NOTHING = (
    "", "...", "\x1b[31m\x1b[0m", "update", "The change", "what the commit does, in the imperative", "paint " * 9,
    "No summary available", "your changes were applied", "The summary says nothing about the change; call again",
    "change to make number of attempts configurable",
)  # fmt: skip
# The arguments of a call, as an object or as the text in their place; and the message that comes of them.
CALLS: list[tuple[object, str]] = [
    (args(scope=None, description=None, breaking_change=None), PLAIN),
    (args(scope=False, description=False, breaking_change=False), PLAIN),
    (args(scope=[], description=[], breaking_change=[]), PLAIN),
    (args(scope="None", description="N/A", breaking_change="null"), PLAIN),
    (args(breaking_change=True), PLAIN),
    (args(scope=["zoo"]), "fix(zoo): paint stripes\n"),
    (args(scope=["zoo", "herd"]), PLAIN),
    (args(scope="Zoo"), "fix(zoo): paint stripes\n"),
    (args(description=["Zebras hide.", "Lions wait."]), PLAIN + "\n- Zebras hide.\n- Lions wait.\n"),
    (args(description="Zebras hide.\n\n" + "lions wait " * 300), PLAIN + "\nZebras hide.\n"),
    ([args()], PLAIN),
    (f"```json\n{json.dumps(args())}\n```", PLAIN),
    (json.dumps(args()) + "}", PLAIN),
    (json.dumps(json.dumps(args())), PLAIN),
    ({"Type": "fix", "Summary": "paint stripes"}, PLAIN),
    ({"type": "fix", "subject": "paint stripes", "body": "Zebras hide."}, PLAIN + "\nZebras hide.\n"),
    ({"message": "fix: paint stripes"}, PLAIN),
    *[(args(type=kind), PLAIN) for kind in ("Fix", "\U0001f41b fix", ":bug: fix", "fix:", "bugfix", "Bug Fix")],
    (args(type="documentation"), "docs: paint stripes\n"),
    (args(type="feature"), "feat: paint stripes\n"),
    (args(type="refactoring"), "refactor: paint stripes\n"),
    (args(type="perf"), "refactor: paint stripes\n"),
    (args(type="tests"), "test: paint stripes\n"),
    (args(type="banana"), "docs: paint stripes\n"),
    (args(type=""), "docs: paint stripes\n"),
    (args(summary="fix: paint stripes"), PLAIN),
    (args(summary="feat(zoo): paint stripes"), "fix(zoo): paint stripes\n"),
    (args(summary="`paint stripes`."), PLAIN),
    (args(breaking_change="The change."), PLAIN),
    *[(args(summary=summary), EMBEDDED) for summary in NOTHING],
]
# What stands in the place of a call.
TEXTS: list[tuple[object, str]] = [
    ("fix: paint stripes", PLAIN),
    ("Fix: paint stripes", PLAIN),
    ("FIX(Zoo): paint stripes", "fix(zoo): paint stripes\n"),
    (":bug: fix(zoo): paint stripes", "fix(zoo): paint stripes\n"),
    ("Bugfix: paint stripes", PLAIN),
    ("\ufefffix: paint stripes", PLAIN),
    (json.dumps(args()) + "}", PLAIN),
    (f"<function=submit_message>\n{tags(type='fix', summary='paint stripes')}", PLAIN),
    ("print(submit_message(type='fix', summary='paint (all) stripes'))", "fix: paint (all) stripes\n"),
    ("git commit -m 'fix: paint stripes'", PLAIN),
    ('```bash\ngit add -A\ngit commit -m "fix: paint stripes" -m "Zebras hide."\n```', PLAIN + "\nZebras hide.\n"),
    ('Sure: {"message": "fix: paint stripes"} as you asked', PLAIN),
    ('{"subject": "fix: paint stripes", "body": ""}', PLAIN),
    ("fix: paint stripes\n\nOr:\n\nfeat: add a zebra", PLAIN),
    ("```text\nfix: paint stripes\n```\nThis message follows the rules.", PLAIN),
    ("fix: paint &quot;stripes", 'fix: paint "stripes\n'),
    ("\x1b[32mfix: paint stripes\x1b[0m", PLAIN),
    ("let me think</think>fix: paint stripes", PLAIN),
    ("<think>feat: no</think>fix: paint stripes.", PLAIN),
    ("Note: this change paints stripes", EMBEDDED),
    ("I would write a message about stripes.", EMBEDDED),
    ("submit_message(type, summary)", EMBEDDED),
]


@rows(("written", "message"), CALLS)
def test_a_call_becomes_the_message_that_was_meant(staged: DraftRequest, written: object, message: str) -> None:
    expect(staged, calling(written), message)


@rows(("written", "message"), TEXTS)
def test_a_text_becomes_the_message_that_was_meant(staged: DraftRequest, written: object, message: str) -> None:
    expect(staged, written, message)


@rows(("family", "written", "message"), [*forms.OBJECTS, *forms.HEADERS])
def test_a_form_of_a_family_is_read_at_once(staged: DraftRequest, family: str, written: object, message: str) -> None:
    assert family
    expect(staged, written, message)
    assert ask(staged, written)[1] == 1


@rows(("family", "remains"), forms.REMAINS)
@rows("form", ["text", "call"])
def test_what_remains_in_a_body_is_dropped(staged: DraftRequest, family: str, remains: str, form: str) -> None:
    assert family
    written: object = f"{PLAIN}\n{remains}" if form == "text" else calling(args(description=remains))
    expect(staged, written, PLAIN)
    written = f"{forms.LONG}\n{remains}" if form == "text" else calling(args(description=f"Zebras hide.\n\n{remains}"))
    expect(staged, written, forms.LONG)


@rows(
    "body",
    [
        "The header is white now.", "You can now count zebras.", "If you count zebras, lions wait.",
        "Alternative names are white.", "Please count again.", "Users see stripes.", "This change counts zebras.",
        "WHY\n\nZebras hide.", "- count zebras: no\n- keep lions",
    ],
)  # fmt: skip
def test_a_body_about_the_change_stays(staged: DraftRequest, body: str) -> None:
    expect(staged, f"{PLAIN}\n{body}", f"{PLAIN}\n{body}\n")


@rows("junk", forms.JUNK)
def test_junk_leaves_the_embedded_draft(staged: DraftRequest, junk: str) -> None:
    expect(staged, junk, EMBEDDED)
    expect(staged, calling({"type": "fix", "summary": junk}), EMBEDDED)


def expect(request: DraftRequest, written: object, message: str) -> None:
    made, _ = ask(request, written)
    assert made.text is not None
    assert made.text.startswith(message)
    assert (made.engine == "embedded") is (message == EMBEDDED)
    assert message in (EMBEDDED, made.text)


@rows(("name", "found"), [("perf", "refactor"), ("style", "lint"), ("tests", "chore"), ("x", None)])
def test_a_type_is_the_projects_own_word_for_it(name: str, found: str | None) -> None:
    assert resolve_type(name, PLAN_TYPES) == found


@rows(("summary", "told"), [("go go go", False), ("go go go go", True), ("go on go on go on", True)])
def test_a_summary_that_repeats_itself_says_nothing(summary: str, told: bool) -> None:
    assert says_nothing(summary) == told


@rows("summary", ["add stripes", "描画する", "x y", "rename Zebra to Lion", "support <summary>"])
def test_a_short_summary_is_a_summary(summary: str) -> None:
    assert not says_nothing(summary)


@rows(
    "summary",
    ["[type] paint stripes", "type(scope): paint stripes", "<summary>", "call submit_message with the message"],
)
def test_the_form_of_a_summary_is_none(summary: str) -> None:
    assert says_nothing(summary)


def test_a_text_is_cut_where_a_paragraph_or_a_sentence_ends() -> None:
    assert cut_paragraphs("One.\n\nTwo is long.", 10) == "One."
    assert cut_paragraphs("One is. Two is long.", 10) == "One is."
    assert cut_paragraphs("x" * 20, 10) == "x" * 10


@rows("text", ["git commit " * 800, "a: " * 4000, "(" * 8000, ":x:" * 3000, "{" * 8000])
def test_a_hostile_text_is_no_message(text: str) -> None:
    assert read_answer(text, DEFAULT_TYPES) is None


ABOUT = (
    # summary, lines of the change, whether it is about it
    ("pip install install-install", "+    run: pip install .\nci.yml", False),
    ("add the the option", "+the option\n+the = 1", False),
    ("pip install", "+  note on pip", False),
    ("handle the timeout of the database", "+  timeout = 3", True),
    ("handle timeouts of the database", "+  print(3)\napp.py", False),
    ("raise width", "-width = 1\n+width = 2", True),
    ("rename guide", "docs/guide.md\ndocs/manual.md", True),
    ("move zebra to animals", "src/zebra.py\nsrc/animals/zebra.py", True),
    ("fix typo", "-teh\n+the", True),
    ("call parse_rows earlier", "+  rows = parse_rows(text)", True),
    ("mend the parser for tables", "+  table of the parsers", True),
    ("mend what concerns users", f"+  user {' '.join(map('name{}'.format, range(30)))}", False),
    ("say hello to the user", '-def f(): pass\n+def f():\n+    print("hello")\na.py', True),
    ("support the tick-tick mode", "+  tick-tick mode", True),
)


def test_a_summary_shares_an_identifier_or_two_words_with_the_change() -> None:
    failed = []
    for summary, known, about in ABOUT:
        if is_about(summary, known) != about:
            failed.append((summary, known))
    assert failed == []
