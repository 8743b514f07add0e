"""Imports point down, are absolute and stand at the top. Source: the architecture's layering."""

import ast
import graphlib
import importlib
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.conftest import ROOT

# What each package, or module beside the packages, may import of ours. A new one needs a row.
LAYERS: dict[str, set[str]] = {
    "errors": set(),
    "patterns": set(),
    "record": set(),
    "coding_agent": set(),
    "signals": set(),
    "json_text": set(),
    "files": set(),
    "processes": {"errors", "files", "record", "signals"},
    "state_files": {"errors", "files", "json_text"},
    "file_lock": {"errors", "files", "state_files"},
    "message": {"errors", "record"},
    "git": {"errors", "file_lock", "files", "message", "processes", "record", "signals", "state_files"},
    "secrets": {"git", "patterns", "record"},
    "terminal": {"errors", "files", "message"},
    "settings": {"coding_agent", "git", "message", "record"},
    "config": {"coding_agent", "errors", "git", "message", "settings"},
    "waiting": {"errors", "message", "signals", "terminal"},
    "receipts": {"git", "record", "state_files"},
    "refused": {"git", "record", "state_files"},
    "verdict": {"files", "git", "message", "processes", "record", "state_files"},
    "session": {
        "change", "coding_agent", "config", "errors", "file_lock", "files", "git", "json_text", "message", "processes",
        "record", "secrets", "setup", "signals", "split", "state_files", "waiting",
    },
    "range_check": {"claims", "errors", "git", "message", "state_files", "verdict"},
    "jj": {"errors", "file_lock", "git", "message", "state_files"},
    "llm": {
        "config", "errors", "git", "json_text", "patterns", "processes", "secrets", "signals", "state_files", "waiting",
    },
    "change": {"errors", "git", "message", "patterns", "record", "secrets"},
    "claims": {"change", "errors", "git", "message", "patterns", "processes", "record"},
    "agent": {"change", "errors", "git", "llm", "message", "secrets", "waiting"},
    "draft": {
        "agent", "change", "coding_agent", "verdict", "config", "errors", "git", "json_text", "processes", "llm",
        "message", "patterns", "record", "secrets", "state_files", "terminal", "waiting",
    },
    "split": {
        "agent", "change", "claims", "coding_agent", "config", "draft", "errors", "files", "git", "processes", "jj",
        "llm", "message", "patterns", "secrets", "settings", "setup", "signals", "state_files", "terminal", "waiting",
    },
    "rewrite": {
        "change", "config", "coding_agent", "draft", "errors", "git", "jj", "message", "patterns", "record",
        "secrets", "settings", "signals", "split", "state_files", "terminal", "waiting",
    },
    "executor": {
        "agent", "change", "config", "errors", "git", "jj", "json_text", "llm", "message", "processes", "secrets",
        "state_files", "verdict", "waiting",
    },
    "library": {
        "config", "draft", "git", "message", "range_check", "session", "split", "verdict", "waiting",
    },
    "setup": {"errors", "file_lock", "files", "git", "json_text", "message", "record", "state_files"},
    "mcp": {"agent", "errors", "jj"},
    "cli": {"coding_agent", "errors", "terminal"},
    "hooks": {
        "claims", "coding_agent", "verdict", "config", "errors", "git", "processes", "message", "range_check",
        "receipts", "state_files", "terminal", "waiting",
    },
    "drafting": {
        "coding_agent", "config", "draft", "errors", "git", "message", "refused", "session", "state_files", "terminal",
    },
    "harness": {
        "coding_agent", "errors", "git", "json_text", "message", "processes", "receipts", "record", "session", "setup",
        "signals", "state_files",
    },
}  # fmt: skip
# What joins several flows lives in the commands. The group loads them by name, so they may use its helpers.
LAYERS["commands"] = set(LAYERS) - {"hooks"}
# What Python programs find in the package itself, which loads nothing before it is used.
LAYERS[""] = {"agent", "jj", "library", "llm"}
# Everything else must run on the standard library alone; the hooks' hot path above all.
THIRD_PARTY = {
    "cli": {"click"},
    "change": {"tree_sitter"},
    "commands": {"click", "pydantic"},
    "jj": {"pydantic"},
    "mcp": {"anyio", "mcp", "pydantic"},
    "agent": {"pydantic"},
    "draft": {"pydantic"},
    "executor": {"pydantic"},
    "llm": {"requests"},
    "setup": {"yaml"},
    "split": {"pydantic", "rich", "textual"},
}
# Modules with imports inside functions: why, and the layers that only those imports may reach.
LATE: dict[str, tuple[str, set[str]]] = {
    "smartcommit.change.wording": ("patterns of secrets, and few names are too long", set()),
    "smartcommit.commands.check": ("few repositories use jj, and its lock does not exist on Windows", set()),
    "smartcommit.claims.staged": ("patterns, and most messages of people claim nothing", set()),
    "smartcommit.commands.doctor": ("what asks a model is heavy, and `install` reports without it", set()),
    "smartcommit.commands.draft": ("what a model needs is for those who ask for one", set()),
    "smartcommit.executor.message_choice": ("a draft is as slow to load as a small task, and rarely needed", {"draft"}),
    "smartcommit.commands.jj_editor": ("what drafts need is heavy, and jj opens other files as well", set()),
    "smartcommit.commands.plan": ("the protocol takes a second to load and is an extra", set()),
    "smartcommit.commands.split": ("few splits are of commits, and few undone in jj", set()),
    "smartcommit.change.reading": ("most changes are of code, and not of documents", set()),
    "smartcommit.draft.embedded.documents": ("most changes are of code, and not of documents", set()),
    "smartcommit.draft.request": ("few projects require a ticket", set()),
    "smartcommit.draft.plain_text": ("only texts of models are read", set()),
    "smartcommit.draft.message_file": ("a message is completed only where the draft is weak", set()),
    "smartcommit.draft.engine": ("what a model needs is heavy, and most drafts are made without one", set()),
    "smartcommit.verdict": ("few headers have one of git's forms", set()),
    "smartcommit.git.grep": ("few projects set a pattern, and this is the hook's hot path", set()),
    "smartcommit.git.run": ("subprocess costs a draft more than its git", set()),
    "smartcommit.processes.spawn": ("subprocess costs a hook more than all its work; only Windows needs it", set()),
    "smartcommit.processes.run": ("only Windows has jobs", set()),
    "smartcommit.files": ("each system has a module of its own", set()),
    "smartcommit.split.review.app": ("Windows has no termios", set()),
    "smartcommit.harness.afterwards": ("few commits come without a receipt", set()),
    "smartcommit.harness.guard": ("few commands depend on the repository", set()),
    "smartcommit.harness.hook": ("each event needs a part, and an agent waits for each of its tools", set()),
    "smartcommit": ("the hooks import the package", set()),
    "smartcommit.library": ("a draft needs nothing of a split", set()),
    "smartcommit.message.checks": ("few projects have a rule for credits to tools", set()),
    "smartcommit.message.report": ("an extension module, needed for no line in ASCII", set()),
    "smartcommit.message.plan_sections": ("an extension module, needed for no message in ASCII", set()),
    "smartcommit.session.alignment": ("few changes are too large to be compared exactly", set()),
    "smartcommit.session.left_hunks": ("an extension module, needed for no notice", set()),
    "smartcommit.session.store": ("an extension module, needed for few paths", set()),
    "smartcommit.session.worktree": ("subprocess costs a notice more than its work", set()),
    "smartcommit.setup.channels": ("there is no such lock on Windows", set()),
    "smartcommit.cli": ("few commands are misspelled", set()),
    "smartcommit.split.analyzer": ("few names that a model gives are unknown", set()),
    "smartcommit.split.engine": ("what a model needs is heavy, and most changes are split without one", set()),
    "smartcommit.split.review.questions": ("textual takes a second to load, and is an extra", set()),
    "smartcommit.change.syntax": ("tree-sitter is an extra, and few changes are of TOML", set()),
    "smartcommit.json_text": ("only CPython has it, and few processes need JSON", set()),
    "smartcommit.state_files": ("the message hooks print no traceback unless there is a bug", set()),
    "smartcommit.waiting": ("most drafts have a deadline and wait for nothing; Windows has no termios", set()),
    "smartcommit_hooks.commit_msg": (
        "most messages are good: nothing is kept of them, and none needs a suggestion",
        {"draft", "refused"},
    ),
    "smartcommit_hooks.prepare_commit_msg": (
        "drafting needs most of smartcommit, and a rebase's picks must load none of it",
        {"drafting"},
    ),
    "smartcommit_hooks.drafting": ("a person's commit has no session, and few follow one that was refused", set()),
    "smartcommit_hooks.split": ("splitting is heavy, and most runs of this hook pass at once", {"split"}),
}


class Import(NamedTuple):
    """One imported module: `late` unless it stands at the module's top level."""

    module: str
    late: bool
    relative: bool

    @property
    def top(self) -> str:
        return self.module.partition(".")[0]


def modules() -> dict[str, Path]:
    found = {}
    for root in (ROOT, ROOT / "hooks"):
        for package in ("smartcommit", "smartcommit_hooks"):
            for path in (root / package).rglob("*.py"):
                found[".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")] = path
    return found


MODULES = modules()


@cache
def imports(path: Path) -> list[Import]:
    tree = ast.parse(path.read_text())
    top = set(map(id, at_the_top(tree)))
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [Import(name.name, late=id(node) not in top, relative=False) for name in node.names]
        elif isinstance(node, ast.ImportFrom):
            # `from package import module` names the module, `from module import name` the module before it.
            for name in node.names:
                whole = f"{node.module}.{name.name}"
                module = whole if whole in MODULES else node.module or ""
                found.append(Import(module, late=id(node) not in top, relative=node.level > 0))
    return found


def at_the_top(tree: ast.Module) -> Iterator[ast.stmt]:
    for statement in tree.body:
        yield statement
        if isinstance(statement, ast.If) and ast.unparse(statement.test) == "TYPE_CHECKING":
            yield from statement.body


def layer(module: str) -> str:
    if module == "smartcommit_hooks.drafting":
        return "drafting"
    if module.startswith("smartcommit_hooks"):
        return "hooks"
    return module.partition(".")[2].partition(".")[0]


def test_no_layer_reaches_itself_through_another() -> None:
    graphlib.TopologicalSorter(LAYERS).prepare()


def test_every_layer_of_the_tree_has_a_row() -> None:
    assert {layer(name) for name in MODULES} - {""} <= set(LAYERS)


def test_imports_point_down() -> None:
    faults = []
    for name, path in MODULES.items():
        own = layer(name)
        _, reached_late = LATE.get(name, ("", set()))
        for found in imports(path):
            if found.top not in ("smartcommit", "smartcommit_hooks"):
                continue
            allowed = {own, "", *LAYERS.get(own, ())}
            if found.late:
                allowed |= reached_late
            # The hooks share what their package has, and do not import one another.
            if own in ("hooks", "drafting") and found.module == "smartcommit_hooks":
                continue
            if layer(found.module) not in allowed - {"hooks"}:
                faults.append(f"{name} imports {found.module}")
    assert not faults


def test_imports_are_absolute_and_at_the_top() -> None:
    faults = []
    for name, path in MODULES.items():
        late = [found for found in imports(path) if found.late]
        if any(found.relative for found in imports(path)):
            faults.append(f"{name} has a relative import")
        if late and name not in LATE:
            faults.append(f"{name} imports {late[0].module} inside a function")
        if name in LATE and not late:
            faults.append(f"{name} has no import inside a function any more")
        if name in LATE and not LATE[name][1] <= {layer(found.module) for found in late}:
            faults.append(f"{name} no longer needs all of its row in LATE")
    assert not faults
    assert set(LATE) <= set(MODULES)


def test_third_party_modules_stay_where_they_belong() -> None:
    ours = {"smartcommit", "smartcommit_hooks", *sys.stdlib_module_names}
    faults = []
    for name, path in MODULES.items():
        foreign = {found.top for found in imports(path)} - ours
        faults += [f"{name} imports {module}" for module in foreign - THIRD_PARTY.get(layer(name), set())]
    assert not faults


def test_the_panes_are_an_extra_that_no_other_module_needs() -> None:
    found = {name for name, path in MODULES.items() if "textual" in {each.top for each in imports(path)}}
    assert found == {"smartcommit.split.review.app", "smartcommit.split.review.panes"}


def test_scripts_import_what_there_is() -> None:
    """Nothing else runs them, since they need numpy, other projects or quiet."""
    faults = []
    for script in (*ROOT.glob("benchmarks/*.py"), *ROOT.glob("training/*.py")):
        for node in ast.walk(ast.parse(script.read_text())):
            if not isinstance(node, ast.ImportFrom) or not str(node.module).startswith(("smartcommit.", "tests.")):
                continue
            module = importlib.import_module(str(node.module))
            folder = ROOT.joinpath(*str(node.module).split("."))
            for name in node.names:
                if not hasattr(module, name.name) and not (folder / f"{name.name}.py").exists():
                    faults.append(f"{script.name} imports {name.name} of {node.module}")
    assert not faults
