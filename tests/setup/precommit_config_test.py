"""Our lines in a user's configuration: every other byte stays."""

from __future__ import annotations

from contextlib import suppress

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from smartcommit.errors import ConfigError
from smartcommit.setup.precommit_config import IDS, UnsupportedLayout, contents, extend, paste, shrink
from tests.support.table import rows

REPO, REV = "https://example.invalid/smartcommit", "v1.2.3"

# Of each file the form before and after, with `+` before the lines that are ours.
ADDED = {
    "pre-commit's sample": """\
 # See https://pre-commit.com for more information
+default_install_hook_types: [pre-commit, prepare-commit-msg, commit-msg]
 repos:
 -   repo: https://example.invalid/hooks
     rev: v3.2.0
     hooks:
     -   id: trailing-whitespace
     -   id: check-yaml  # quick
+-   repo: https://example.invalid/smartcommit
+    rev: v1.2.3
+    hooks:
+    -   id: prepare-commit-msg
+    -   id: commit-msg
+    -   id: split
""",
    "two columns, indented list, blank lines between entries": """\
 ---
+default_install_hook_types: [pre-commit, prepare-commit-msg, commit-msg]
 minimum_pre_commit_version: '3.0'
 repos:
   - repo: "https://example.invalid/hooks"
     rev: v3.2.0
     hooks:
       - id: check-yaml

   - repo: local
     hooks:
       - id: mine
         name: mine
         entry: 'true'
         language: system
         args: [--one,
                --two]
         # stages: [manual]
+
+  - repo: https://example.invalid/smartcommit
+    rev: v1.2.3
+    hooks:
+      - id: prepare-commit-msg
+      - id: commit-msg
+      - id: split

 # the end
 exclude: ^vendor/
""",
    "hooks in line with their key": """\
+default_install_hook_types: [pre-commit, prepare-commit-msg, commit-msg]
 repos:
 - repo: https://example.invalid/hooks
   rev: v3.2.0
   hooks:
   - id: check-yaml
     exclude: |
       (?x)^(
         a
       )$
+- repo: https://example.invalid/smartcommit
+  rev: v1.2.3
+  hooks:
+  - id: prepare-commit-msg
+  - id: commit-msg
+  - id: split

 ci:
   autofix_prs: false
""",
    "hook types in a list in flow style": """\
-default_install_hook_types: [pre-commit, "pre-push"]  # both
+default_install_hook_types: [pre-commit, "pre-push", prepare-commit-msg, commit-msg]  # both
 repos:
 - repo: https://example.invalid/hooks
   rev: v3.2.0
   hooks: [{id: check-yaml}]
+- repo: https://example.invalid/smartcommit
+  rev: v1.2.3
+  hooks:
+  - id: prepare-commit-msg
+  - id: commit-msg
+  - id: split
""",
    "hook types in a block, one of ours among them": """\
 repos:
 - {repo: https://example.invalid/hooks, rev: v3.2.0, hooks: [{id: check-yaml}]}
+- repo: https://example.invalid/smartcommit
+  rev: v1.2.3
+  hooks:
+  - id: prepare-commit-msg
+  - id: commit-msg
+  - id: split
 default_install_hook_types:
   # theirs
   - commit-msg
   - pre-push  # last
+  - prepare-commit-msg
 fail_fast: true
""",
    "hooks of other stages only": """\
+default_install_hook_types: [prepare-commit-msg, commit-msg]
 repos:
 - repo: https://example.invalid/hooks
   rev: v3.2.0
   hooks:
   - id: check
     stages: [manual]
+- repo: https://example.invalid/smartcommit
+  rev: v1.2.3
+  hooks:
+  - id: prepare-commit-msg
+  - id: commit-msg
+  - id: split
""",
    "no entries": """\
 # nothing yet
-repos: []  # soon
+default_install_hook_types: [prepare-commit-msg, commit-msg]
+repos:  # soon
+-   repo: https://example.invalid/smartcommit
+    rev: v1.2.3
+    hooks:
+    -   id: prepare-commit-msg
+    -   id: commit-msg
+    -   id: split
 fail_fast: true
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
+-   repo: https://example.invalid/smartcommit
+    rev: v1.2.3
+    hooks:
+    -   id: prepare-commit-msg
+    -   id: commit-msg
+    -   id: split
""",
}


def before_and_after(marked: str) -> tuple[str, str]:
    lines = marked.splitlines(keepends=True)
    return (
        "".join(line[1:] or line for line in lines if line[0] in " -\n"),
        "".join(line[1:] or line for line in lines if line[0] in " +\n"),
    )


@rows("marked", ADDED.values(), ids=ADDED)
def test_our_lines_are_added_in_the_files_own_form(marked: str) -> None:
    before, after = before_and_after(marked)
    assert extend(before, REPO, REV) == after


@rows("marked", ADDED.values(), ids=ADDED)
def test_a_second_time_changes_nothing(marked: str) -> None:
    _, after = before_and_after(marked)
    assert extend(after, REPO, REV) == after


@rows("marked", ADDED.values(), ids=ADDED)
def test_line_ends_stay(marked: str) -> None:
    before, after = before_and_after(marked)
    assert extend(before.replace("\n", "\r\n"), REPO, REV) == after.replace("\n", "\r\n")


@rows("marked", ADDED.values(), ids=ADDED)
def test_a_file_without_an_end_of_line_keeps_what_it_has(marked: str) -> None:
    before, _ = before_and_after(marked)
    extended = extend(before.removesuffix("\n"), REPO, REV)
    assert extended.startswith(("default", before.splitlines()[0]))
    assert yaml.safe_load(extended) == yaml.safe_load(extend(before, REPO, REV))


@rows("name", [name for name in ADDED if "choice" not in name and "comments" not in name])
def test_removing_restores_the_file(name: str) -> None:
    before, after = before_and_after(ADDED[name])
    listed = contents(before, REPO)[1] or []
    types = [kind for kind in contents(after, REPO)[1] or [] if kind not in listed]
    assert shrink(after, REPO, types) == before


def test_a_new_file_is_removed_whole() -> None:
    assert extend("", REPO, REV) == paste(REPO, REV)
    assert shrink(paste(REPO, REV), REPO, ["prepare-commit-msg", "commit-msg"]) is None
    assert shrink(paste(REPO, REV), REPO, []) is None


def test_a_comment_keeps_the_file() -> None:
    assert shrink("# mine\n" + paste(REPO, REV), REPO, ["prepare-commit-msg", "commit-msg"]) == "# mine\nrepos: []\n"


def test_a_list_that_somebody_else_extended_keeps_pre_commit() -> None:
    before, after = before_and_after(ADDED["pre-commit's sample"])
    extended = after.replace("commit-msg]", "commit-msg, pre-push]")
    types = ["pre-commit", "prepare-commit-msg", "commit-msg"]
    assert shrink(extended, REPO, types) == before.replace(
        "repos:", "default_install_hook_types: [pre-commit, pre-push]\nrepos:"
    )


@rows(
    ("text", "reason"),
    [
        ("{repos: [{repo: meta, hooks: [{id: identity}]}]}\n", "the top level is not a block-style mapping"),
        ("repos: [{repo: meta, hooks: [{id: identity}]}]\n", "'repos' is in flow style"),
        ("fail_fast: true\n", "missing 'repos' list"),
        ("? repos\n: - repo: meta\n    hooks: [{id: identity}]\n", "the layout is not recognized"),
        ("repos: &all\n- repo: meta\n  hooks: [{id: identity}]\n", "the layout is not recognized"),
        ("  repos:\n  - repo: meta\n    hooks: [{id: identity}]\n", "the layout is not recognized"),
        ("repos:\n-\n  repo: meta\n  hooks: [{id: identity}]\n", "the layout is not recognized"),
        ('"repos":\n- repo: meta\n  hooks: [{id: identity}]\n', "the layout is not recognized"),
        ("repos: []\ndefault_install_hook_types: x\n", "'default_install_hook_types' is not a list"),
        ("repos: []\ndefault_install_hook_types:\n", "'default_install_hook_types' is not a list"),
        ("x: &t [pre-push]\ndefault_install_hook_types: *t\nrepos: []\n", "the layout is not recognized"),
        ("x: &x [*x]\nrepos: []\n", "the layout is not recognized"),
        ("repos: &r []\nx: *r\n", "the layout is not recognized"),
        ("--- {a: 1}\n", "the top level is not a block-style mapping"),
        ("a\n", "the top level is not a block-style mapping"),
    ],
)  # fmt: skip
def test_a_form_that_cannot_be_extended_is_refused(text: str, reason: str) -> None:
    with pytest.raises(UnsupportedLayout, match=f"^{reason}$"):
        extend(text, REPO, REV)


@rows(
    ("text", "reason"),
    [
        ("repos: [\n", "not valid YAML in line 2"),
        ("repos:\n\t- a\n", "not valid YAML in line 2"),
        ("a: 1\n---\nb: 2\n", "not valid YAML in line 2"),
        ("a: \x00\n", "not valid YAML"),
        ("a: !!python/object:os.system x\n", "not valid YAML in line 1"),
        ("[" * 5000, "not valid YAML"),
        ("- repo: meta\n  hooks: []\n", "old list form"),
    ],
)  # fmt: skip
def test_what_is_not_a_configuration_is_refused(text: str, reason: str) -> None:
    with pytest.raises(ConfigError, match=reason):
        extend(text, REPO, REV)


@rows("repo", ["../hooks", "https://example.invalid/x", "/a b/#c", "C:\\hooks", "~", "a: b", "'q'"])
@rows("rev", ["v1", "1.0", "deadbeef", "true", "0x1F", "#1"])
def test_any_repository_and_revision_are_read_back(repo: str, rev: str) -> None:
    entry = yaml.safe_load(extend("repos: []\n", repo, rev))["repos"][0]
    assert entry == {"repo": repo, "rev": rev, "hooks": [{"id": name} for name in IDS]}


names = st.text("abc-", min_size=1, max_size=6)
hooks = st.lists(
    st.fixed_dictionaries({"id": names}, optional={"args": st.lists(names), "files": names}), min_size=1, max_size=2
)
entries = st.lists(st.fixed_dictionaries({"repo": names, "rev": names, "hooks": hooks}), max_size=3)
configs = st.fixed_dictionaries(
    {"repos": entries},
    optional={
        "default_install_hook_types": st.lists(
            st.sampled_from(["pre-commit", "pre-push", "commit-msg"]), unique=True, min_size=1
        ),
        "exclude": names,
        "fail_fast": st.booleans(),
    },
)


@given(configs, st.booleans(), st.integers(2, 6), st.sampled_from([None, False]))
def test_every_configuration_keeps_its_meaning_and_comes_back(
    config: dict[str, object], sort: bool, indent: int, flow: bool | None
) -> None:
    text = yaml.safe_dump(config, sort_keys=sort, indent=indent, default_flow_style=flow)
    try:
        extended = extend(text, REPO, REV)
    except UnsupportedLayout:
        assert flow is None
        return
    data = yaml.safe_load(extended)
    assert data["repos"][:-1] == config["repos"]
    assert data["repos"][-1]["repo"] == REPO
    assert {"prepare-commit-msg", "commit-msg"} <= set(data["default_install_hook_types"])
    added = [name for name in data["default_install_hook_types"] if name not in (contents(text, REPO)[1] or ())]
    assert shrink(extended, REPO, added) in (text, None)


@rows(
    "text",
    [
        f"repos:\n- repo: {REPO}\n  hooks: 5\n",
        f"repos:\n- repo: {REPO}\n  hooks: [5, {{id: [split]}}]\n",
        "repos:\n- repo: x\n  hooks: [{id: a, stages: 5}, {id: b, stages: [[c]]}]\n",
        "default_stages: [[a]]\nrepos:\n- repo: x\n  hooks: [{id: a}]\n",
        f"default_install_hook_types: [[a]]\nrepos:\n- repo: {REPO}\n  hooks: [{{id: split}}]\n",
        "default_stages: !!bool x\nrepos: []\n",
        'a: !!int ""\nrepos: []\n',
    ],
)
def test_values_that_pre_commit_refuses_are_no_bug_of_ours(text: str) -> None:
    for edit in (lambda: extend(text, REPO, REV), lambda: shrink(text, REPO, ["commit-msg"])):
        with suppress(ConfigError):
            edit()


def test_a_comment_below_our_entry_keeps_no_blank_line_of_ours() -> None:
    text = "repos:\n- repo: x\n  hooks: []\n\n- repo: y\n  hooks: []\n# the end\n"
    extended = extend(text, REPO, REV)
    assert f"  hooks: []\n\n- repo: {REPO}\n" in extended
    assert shrink(extended, REPO, contents(extended, REPO)[1] or ()) == text
