"""Our lines in a user's configuration: every other byte stays."""

import re
from contextlib import suppress

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from smartcommit.errors import ConfigError
from smartcommit.setup.hook_scripts import MODULES
from smartcommit.setup.pieces import insert
from smartcommit.setup.pre_commit import IDS, UnsupportedLayout, find_address, paste, plan_insertions, remove
from tests.support.table import rows

REPO, REV = "https://example.invalid/smartcommit", "v1.2.3"

# Of each file the form before and after, with `+` before the lines that are ours; OURS stands for our entry.
ADDED = {
    "pre-commit's sample": """\
 # See https://pre-commit.com for more information
+default_install_hook_types: [pre-commit, prepare-commit-msg, commit-msg]
+default_stages: [pre-commit, manual]
 repos:
 -   repo: https://example.invalid/hooks
     rev: v3.2.0
     hooks:
     -   id: trailing-whitespace
     -   id: check-yaml  # quick
+-   OURS
""",
    "two columns, indented list, blank lines between entries": """\
 ---
 minimum_pre_commit_version: '3.0'
+default_install_hook_types: [pre-commit, prepare-commit-msg, commit-msg]
+default_stages: [pre-commit, manual]
 repos:
   - repo: "https://example.invalid/hooks"
     rev: v3.2.0
     hooks:
       - id: check-yaml

   - repo: local
     hooks:
       - id: mine
         name: mine
         entry: smartcommit-agent-hook
         language: system
         args: [--one,
                --two]
         # stages: [manual]
+  - OURS

 # the end
 exclude: ^vendor/
""",
    "hook types in a list in flow style": """\
-default_install_hook_types: [pre-commit, "pre-push"]  # both
+default_install_hook_types: [pre-commit, "pre-push", prepare-commit-msg, commit-msg]  # both
+default_stages: [pre-commit, pre-push, manual]
 repos:
 - repo: https://example.invalid/hooks
   rev: v3.2.0
   hooks: [{id: check-yaml}]
+- OURS
""",
    "hooks of other stages only": """\
+default_install_hook_types: [pre-commit, prepare-commit-msg, commit-msg]
 repos:
 - repo: https://example.invalid/hooks
   rev: v3.2.0
   hooks:
   - id: check
     stages: [manual]
+- OURS
""",
    "our entry with a choice of hooks": """\
+default_install_hook_types: [commit-msg]
 repos:
 - repo: https://example.invalid/smartcommit.git
   rev: main
   hooks:
   - id: commit-msg
""",
    "comments only": """\
 # hooks of this project
+default_install_hook_types: [prepare-commit-msg, commit-msg]
+repos:
+-   OURS
""",
}


def write_ours(found: re.Match[str]) -> str:
    inner = found[1] + " " * len(found[2])
    lines = [f"{found[1]}{found[2]}repo: {REPO}", f"{inner}rev: {REV}", f"{inner}hooks:"]
    lines += [f"{inner}{found[2]}id: {name}" for name in IDS if name != "pre-push"]
    return "\n".join(lines)


def before_and_after(marked: str) -> tuple[str, str]:
    lines = re.sub(r"(\+ *)(- +)OURS", write_ours, marked).splitlines(keepends=True)
    return (
        "".join(line[1:] or line for line in lines if line[0] in " -\n"),
        "".join(line[1:] or line for line in lines if line[0] in " +\n"),
    )


def extend(text: str, repo: str = REPO, rev: str = REV) -> str:
    return insert(text, plan_insertions(text, repo, rev))[0]


def round_trip(text: str) -> str:
    extended, pieces = insert(text, plan_insertions(text, REPO, REV))
    assert remove(extended, pieces) == text
    # A second time changes nothing.
    assert plan_insertions(extended, REPO, REV) == []
    # What somebody adds stays, as does another revision.
    later = "# more\n" + extended.replace(f"rev: {REV}", "rev: v2")
    assert remove(later, pieces) == "# more\n" + text.replace(f"rev: {REV}", "rev: v2")
    return extended


@rows("marked", *ADDED.values())
def test_our_lines_are_added_in_the_files_own_form_and_come_out_again(marked: str) -> None:
    before, after = before_and_after(marked)
    for newline in ("\n", "\r\n"):
        assert round_trip(before.replace("\n", newline)) == after.replace("\n", newline)
    # Without a line end at its end.
    assert yaml.safe_load(round_trip(before.removesuffix("\n"))) == yaml.safe_load(after)


@rows(
    ("top", "installed", "stages"),
    ("", [], ["pre-commit", "manual"]),
    ("", ["commit-msg"], ["pre-commit", "commit-msg", "manual"]),
    ("default_install_hook_types: [pre-push]\n", [], ["pre-commit", "pre-push", "manual"]),
    ("default_install_hook_types:\n- commit-msg\n", [], ["pre-commit", "commit-msg", "manual"]),
    ("default_install_hook_types: [prepare-commit-msg, commit-msg]\n", [], None),
    ("default_stages: [pre-commit, pre-push]\n", [], ["pre-commit", "pre-push"]),
)
def test_hooks_without_stages_go_on_running_where_they_did(top: str, installed: list[str], stages: object) -> None:
    text = f"{top}repos:\n- repo: local\n  hooks:\n  - {{id: mine, name: mine, entry: 'true', language: system}}\n"
    data = yaml.safe_load(insert(text, plan_insertions(text, REPO, REV, installed))[0])
    assert data.get("default_stages") == stages
    # A type that nothing has installed is installed for our hooks alone.
    assert ("pre-commit" in data["default_install_hook_types"]) == (not top.startswith("default_i") and not installed)


def test_lines_that_somebody_has_edited_are_left() -> None:
    extended, pieces = insert("# mine\n", plan_insertions("# mine\n", REPO, REV))
    assert remove(extended.replace("id: split", "id: splits"), pieces) is None
    # What somebody has added to a list that we began would be no configuration.
    assert remove(extended + "-   repo: meta\n    hooks: [{id: identity}]\n", pieces) is None


# Layouts that pre-commit's sample has not: the person gets the lines.
ODD = (
    "{repos: [{repo: meta, hooks: [{id: identity}]}]}\n",
    "fail_fast: true\n",
    "repos: 3\n",
    "repos: []\n",
    "repos: [{repo: meta, hooks: [{id: identity}]}]\n",
    "repos: &all\n- repo: meta\n  hooks: [{id: identity}]\n",
    "repos:\n- repo: meta\n  hooks: [{id: identity}]\ndefault_install_hook_types:\n- pre-push\n",
    "repos:\n- repo: meta\n  hooks: [{id: identity}]\ndefault_install_hook_types: x\n",
    "  repos:\n  - repo: meta\n    hooks: [{id: identity}]\n",
    "x: |\n repos:\n - a\nrepos: []\n",
)
REFUSED = {
    "a\n": "is not a mapping",
    "repos: [\n": "not valid YAML in line 2",
    "repos:\n\t- a\n": "not valid YAML in line 2",
    "a: 1\n---\nb: 2\n": "not valid YAML in line 2",
    "a: \x00\n": "not valid YAML",
    "a: !!python/object:os.system x\n": "not valid YAML in line 1",
    "[" * 5000: "not valid YAML",
    "- repo: meta\n  hooks: []\n": "old list form",
}


@rows("text", *ODD)
def test_another_layout_is_answered_with_the_lines(text: str) -> None:
    with pytest.raises(UnsupportedLayout) as caught:
        extend(text)
    lines = caught.value.lines
    assert lines[-7:] == ["repos:", *paste(REPO, REV).splitlines()[2:]]
    assert lines[0].startswith("default_install_hook_types: [")
    assert ("pre-push, prepare-commit-msg" in lines[0]) == ("- pre-push" in text)


@rows(
    ("entry", "address"),
    ("repo: a/smartcommit.git/, hooks: [{id: split}]", "a/smartcommit.git/"),
    ("repo: a, hooks: [{id: split}, {id: commit-msg}]", "a"),
    ("repo: a, hooks: [{id: commit-msg}, {id: check}]", None),
    ("repo: local, hooks: [{id: commit-msg, entry: check}]", None),
    ("repo: local, hooks: [{id: check, entry: bin/smartcommit-commit-msg x}]", "local"),
    ("repo: local, hooks: [{id: check, entry: smartcommit-check}]", None),
    ("repo: local, hooks: [{id: check, entry: my-commit-msg}]", None),
)
def test_our_entry_is_known_by_its_name_its_hooks_or_its_command(entry: str, address: str | None) -> None:
    assert find_address(yaml.safe_load(f"repos: [{{{entry}}}]")) == address


@rows("text, reason", *REFUSED.items())
def test_what_is_no_configuration_is_refused(text: str, reason: str) -> None:
    with pytest.raises(ConfigError, match=reason):
        extend(text)


def test_values_that_pre_commit_refuses_are_no_bug_of_ours() -> None:
    for text in (
        f"repos:\n- repo: {REPO}\n  hooks: 5\n",
        f"repos:\n- repo: {REPO}\n  hooks: [5, {{id: [split]}}]\n",
        "repos:\n- repo: x\n  hooks: [{id: a, stages: 5}, {id: b, stages: [[c]]}]\n",
        "default_stages: [[a]]\nrepos:\n- repo: x\n  hooks: [{id: a}]\n",
        f"default_install_hook_types: [[a]]\nrepos:\n- repo: {REPO}\n  hooks: [{{id: split}}]\n",
        "default_install_hook_types: [[a]]\nrepos: []\n",
        "default_stages: !!bool x\nrepos: []\n",
        'a: !!int ""\nrepos: []\n',
        "x: &x [*x]\nrepos: []\n",
        "? [a]\n: b\nrepos: []\n",
        "repos:\n- x\n",
    ):
        with suppress(ConfigError):
            round_trip(text)


@pytest.mark.parametrize("text", ["repos:\n- repo: meta\n  hooks: []\n", ""])
def test_any_repository_and_revision_are_read_back(text: str) -> None:
    for repo in ("../hooks", "https://example.invalid/x", "/a b/#c", "C:\\hooks", "~", "a: b", "'q'", "x, y"):
        for rev in ("v1", "1.0", "deadbeef", "true", "0x1F", "#1"):
            entry = yaml.safe_load(extend(text, repo, rev))["repos"][-1]
            ids = [name for name in IDS if name != "pre-push"]
            assert entry == {"repo": repo, "rev": rev, "hooks": [{"id": name} for name in ids]}
    assert extend("") == paste(REPO, REV)


names = st.text("abc-", min_size=1, max_size=6)
hooks = st.lists(
    st.fixed_dictionaries({"id": names}, optional={"args": st.lists(names), "files": names}), min_size=1, max_size=2
)
entries = st.lists(st.fixed_dictionaries({"repo": names, "rev": names, "hooks": hooks}), min_size=1, max_size=3)
configs = st.fixed_dictionaries({"repos": entries}, optional={"exclude": names, "fail_fast": st.booleans()})


@given(configs, st.booleans(), st.integers(2, 6))
def test_each_configuration_keeps_its_meaning_and_returns(config: dict[str, object], sort: bool, indent: int) -> None:
    text = yaml.safe_dump(config, sort_keys=sort, indent=indent)
    data = yaml.safe_load(round_trip(text))
    assert data["repos"][:-1] == config["repos"]
    assert data["repos"][-1]["repo"] == REPO
    assert {"prepare-commit-msg", "commit-msg"} <= set(data["default_install_hook_types"])


def test_the_check_at_push_is_added_where_it_is_asked_for() -> None:
    for text in ("", "repos:\n- repo: meta\n  hooks: []\n"):
        pieces = plan_insertions(text, "../hooks", "v1", names=list(MODULES))
        data = yaml.safe_load(insert(text, pieces)[0])
        assert data["default_install_hook_types"] == list(MODULES)
        assert [hook["id"] for hook in data["repos"][-1]["hooks"]] == list(IDS)
