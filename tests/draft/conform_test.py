"""The law of drafts: whatever changed, whatever the policy, whatever a model says, what is written passes."""

import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from smartcommit import state_files
from smartcommit.config import Settings, make_rules
from smartcommit.draft import engine
from smartcommit.draft.conform import conform
from smartcommit.draft.message_file import insert
from smartcommit.draft.request import DraftRequest, read_request
from smartcommit.git.repo import Repository
from smartcommit.llm.api import ApiConfig, Json
from smartcommit.llm.client import LLMClient
from smartcommit.message.checks import is_accepted
from smartcommit.message.cleanup import find_cleaning
from smartcommit.message.parse import parse
from smartcommit.message.rules import Rules, fill_message
from smartcommit.verdict import check_file
from smartcommit.waiting import Deadline
from tests.support.profile import FAST, choose, examples
from tests.support.repository import Repo

# Changes are made once, policies and answers by the hundred: a repository costs more than all of the rest.
CHANGES: list[dict[str, str | bytes]] = [
    {"zebra.py": "def stripes():\n    return 7\n"},
    {"src/a.py": "a = 2\n", "docs/b.md": "# B\n", "tests/c_test.py": "def test_c(): pass\n"},
    {"package-lock.json": "{}\n"},
    {"#hash.md": "x\n", ";semi": "y\n", "-dash": "z\n"},
    {"Tasks [ ]: x.txt": "1\n", "Signed-off-by: me.txt": "2\n"},
    {"ü\u202e\u200b/日本.rs": "fn main() {}\n"},
    {f"many/{n}.go": f"func F{n}() {{}}\n" for n in range(60)},
    {"logo.png": b"\x89PNG\0\1"},
]
PLAIN = b"\n# Please enter the commit message for your changes.\n"
FILES = [
    PLAIN,
    b"",
    b"\n\nSigned-off-by: Ada <ada@example.invalid>\n# On branch main\n",
    PLAIN.replace(b"#", b";"),
    b"\n# x\n# ------------------------ >8 ------------------------\n# Do not\n# x\ndiff --git a/x b/x\n+y\n",
]

names = st.from_regex(r"[a-z][a-z0-9-]{0,8}", fullmatch=True)
ugly = st.text(st.sampled_from("abc XYZ012#;@:-_`'\"*[](){}<>|!/.,\n\t\r\0\x1b\u202e\u200bü日😀Tasks"), max_size=90)
lines = st.sampled_from(
    [
        "feat: add stripes", "fix(Zebra)!: x", "# comment", "; semi", "diff --git a/x b/x", "---", "--- a",
        "Tasks [ ]:", "- [ ] do: it", "Constraints:", "- Never: x", "Signed-off-by: Evil <e@x>", "BREAKING CHANGE: all",
        "key: value", "# ------------------------ >8 ------------------------", "fixup! feat: x",
        "(cherry picked from commit 1)",
        "```", "<think>", "</think>", "added stripes", "word " * 60, "Conflicts:", "\tx", "zebra.py", "`stripes`", "",
    ]
)  # fmt: skip
prose = st.one_of(ugly, st.lists(st.one_of(lines, ugly), max_size=8).map("\n".join))
kinds = st.one_of(st.sampled_from(["feat", "fix", "docs", "FEAT", "chore", "x", ""]), ugly)
arguments = st.fixed_dictionaries(
    {"type": kinds, "summary": prose},
    optional={"scope": st.one_of(names, ugly), "description": prose, "breaking_change": prose},
)
answers = st.one_of(
    prose,
    arguments.map(json.dumps),
    arguments.map(lambda given: [("submit_message", given)]),
    arguments.map(lambda given: [("submit_message", json.dumps(given))]),
    prose.map(lambda text: [("submit_message", text)]),
    prose.map(lambda text: [(text[:20], {"path": text}), ("get_diff", {"path": text})]),
)
said_by_models = st.lists(answers, min_size=1, max_size=4)
GOOD_ANSWER = [("submit_message", {"type": "feat", "scope": "zebra", "summary": "add stripes to zebra"})]
# No header has both a form with a ticket and one of these.
CONTRADICTIONS = {("fullstop", "require"), ("summarycase", "lower-case")}
policies = st.fixed_dictionaries(
    {},
    optional={
        "types": st.lists(names, min_size=1, max_size=4).map(" ".join),
        "scopes": st.lists(names, min_size=1, max_size=3).map(" ".join),
        "summarylimit": st.integers(1, 130).map(str),
        "headerlimit": st.integers(12, 130).map(str),
        "trailerlimit": st.integers(40, 130).map(str),
        "scope": st.sampled_from(["allow", "forbid", "forbid", "forbid", "require"]),
        "summarycase": st.sampled_from(["any", "lower-first", "upper-first", "lower-case"]),
        "fullstop": st.sampled_from(["allow", "require", "forbid"]),
        "linelimit": st.integers(1, 130).map(str),
        "required": st.lists(st.sampled_from(["description", "constraints", "tasks", "plan"]), max_size=3).map(
            " ".join
        ),
        "imperative": st.sampled_from(["true", "false"]),
        "errors": st.sampled_from(["", "line-length", "tasks-case line-length"]),
        "off": st.sampled_from(["", "header-form", "type-unknown section-missing"]),
        "headerform": st.sampled_from(
            ["{emoji} {type}({scope}): {summary} ({ticket})", "{type}({scope}): Jira [{ticket}] {emoji} {summary}"]
        ),
    },
).filter(lambda policy: "headerform" not in policy or not CONTRADICTIONS & set(policy.items()))


class Hostile(LLMClient):
    """A model that says what it is given, over and over."""

    def __init__(self, said: list[Any]) -> None:
        super().__init__(ApiConfig("openai", "hostile", "http://localhost/v1"))
        self._said = said
        self._turn = 0

    def _send(self, payload: Json, deadline: Deadline) -> Json:
        answer = self._said[self._turn % len(self._said)]
        self._turn += 1
        if isinstance(answer, str):
            return {"choices": [{"message": {"content": answer}}]}
        made = [{"function": {"name": name, "arguments": given}} for name, given in answer]
        return {"choices": [{"message": {"content": None, "tool_calls": made}}]}


@pytest.fixture(scope="module")
def repositories(tmp_path_factory: pytest.TempPathFactory) -> list[Repository]:
    """A repository for each of CHANGES, with it staged."""
    found = []
    for change in CHANGES:
        repo = Repo.init(tmp_path_factory.mktemp("law"))
        repo.stage(change)
        found.append(Repository.find(str(repo.path)))
    return found


TASKS: dict[str, DraftRequest] = {}


def task_of(repository: Repository, chosen: Settings) -> DraftRequest:
    """What is staged there, read once, with the rules of `chosen`."""
    if repository.git_dir not in TASKS:
        found = read_request(repository, repository.empty_tree, None, chosen)
        assert found is not None
        TASKS[repository.git_dir] = found
    task = TASKS[repository.git_dir]
    task.rules, task.settings, task.ticket_in_header = make_rules(chosen), chosen, "PLATFORM-1234567"
    return task


def test_what_is_written_passes_and_nothing_else_is_touched(repositories: list[Repository]) -> None:
    engines: Counter[str] = Counter()

    @examples(400)
    @example(which=0, policy={}, content=PLAIN, said=[GOOD_ANSWER])
    @given(which=st.integers(0, len(CHANGES) - 1), policy=policies, content=st.sampled_from(FILES), said=said_by_models)
    def check(which: int, policy: dict[str, str], content: bytes, said: list[Any]) -> None:
        engines[check_draft(repositories[which], policy, content, said)] += 1

    check()
    # Otherwise the test could pass by writing little, or nothing by the model.
    assert engines.total() >= choose(fast=FAST, full=400)
    assert engines["nothing"] <= choose(fast=FAST, full=200)
    # Few random answers are good ones: the example above is, and among hundreds there are more.
    assert engines["model"] >= choose(fast=1, full=2)


def check_draft(repository: Repository, policy: dict[str, str], content: bytes, said: list[Any]) -> str:
    """Draft for the staged change in `repository` and check what is written into `content`; return what drafted it."""
    entries = [(f"smartcommit.{name}", value) for name, value in policy.items()]
    chosen = Settings(policy=entries, environment={"SMARTCOMMIT_PROVIDER": "openai", "SMARTCOMMIT_MODEL": "hostile"})
    rules = make_rules(chosen)
    task = task_of(repository, chosen)
    state_files.drop(repository.git_dir, engine.CACHE)
    config = [("core.commentchar", ";")] if content.startswith(b"\n;") else []
    cleaning = find_cleaning(content, config, editor=True)

    def written(text: str) -> bytes | None:
        return insert(text, content, cleaning)

    def passes(text: str) -> bool:
        whole = written(text)
        return whole is not None and not check_file(whole, cleaning, rules, search=None).refused

    made = engine.answer(task, deadline=Deadline(60), terminal=None, passes=passes, client=lambda config: Hostile(said))
    if not made.text:
        return "nothing"
    whole = insert(made.text, content, cleaning, made.comments)
    assert whole.endswith(content)
    assert not check_file(whole, find_cleaning(whole, config, editor=True), rules, search=None).refused
    for header in made.list_headers():
        assert is_accepted("\n".join((header, *made.text.split("\n")[1:])), rules), header
    if made.engine == "embedded":
        return "embedded"
    return "model"


def test_a_summary_leaves_room_for_what_the_form_adds() -> None:
    rules = Rules(header_form="{type}({scope}): {summary} (Jira issue {ticket})", header_limit=60)

    def passes(text: str) -> bool:
        return is_accepted(fill_message(text, rules.header_form, "PLATFORM-1234567"), rules)

    message = parse("feat: reject empty hosts and addresses").message
    assert conform(message, rules, passes=passes) == "feat: reject empty hosts\n"
