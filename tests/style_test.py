"""The rules of style in CONTRIBUTING.md that a parser can check; ruff.toml has the others."""

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.conftest import ROOT
from tests.support.table import rows

COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
# Lines of a function, and handlers of any error in the whole product.
LINES = 60
BROAD = 8


# Text that is cut at every kind of line end in these modules is shown, a person's or our own. What git prints or stores
# has names, which may contain such characters: it is cut at line feeds.
SPLITLINES = {
    "commands/execute.py",
    "draft/model/submit.py", "executor/plan.py",
    "executor/executor.py", "jj/moves.py", "jj/planner.py", "jj/run.py", "refused.py",
    "setup/pre_commit.py", "split/checkout.py",
}  # fmt: skip


def sources() -> list[Path]:
    return sorted([*(ROOT / "smartcommit").rglob("*.py"), *(ROOT / "hooks").rglob("*.py")])


def find_faults(text: str) -> Iterator[str]:
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, (ast.IfExp, *COMPREHENSIONS)):
            yield from (f"{node.lineno}: {fault}" for fault in find_dense(node))
        elif isinstance(node, ast.ImportFrom) and node.module == "operator":
            yield from find_getters(node)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if lines > LINES:
                yield f"{node.lineno}: {node.name} has {lines} lines"
    for statement in tree.body:
        yield from find_packed(statement)
    for handler in broad_handlers(tree):
        if not has_reason(text.splitlines()[handler.lineno - 2 : handler.lineno]):
            yield f"{handler.lineno}: a broad except without a reason"


def find_getters(node: ast.ImportFrom) -> Iterator[str]:
    for name in node.names:
        if name.name in ("attrgetter", "itemgetter", "methodcaller"):
            yield f"{node.lineno}: {name.name}, where a comprehension or a lambda is read at once"


def find_packed(statement: ast.stmt) -> Iterator[str]:
    """Constants of a module that share a line, and so a reason."""
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Tuple):
        return
    for target in statement.targets[:1]:
        if isinstance(target, ast.Tuple) and ast.unparse(target).isupper() and len(statement.targets) == 1:
            yield f"{statement.lineno}: {len(target.elts)} constants in one line"


def find_dense(node: ast.expr) -> Iterator[str]:
    within = list(ast.walk(node))[1:]
    if isinstance(node, COMPREHENSIONS):
        if len(node.generators) > 1:
            yield "a comprehension with more than one for"
        if any(isinstance(inner, COMPREHENSIONS) for inner in within):
            yield "a comprehension within a comprehension"
    if any(isinstance(inner, ast.IfExp) for inner in within):
        outer = "conditional expression" if isinstance(node, ast.IfExp) else "comprehension"
        yield f"a conditional expression within a {outer}"


def broad_handlers(tree: ast.Module) -> list[ast.ExceptHandler]:
    """The handlers that catch any error and do not raise it again at their end."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ExceptHandler):
            names = {"Exception"} if node.type is None else {ast.unparse(each) for each in ast.walk(node.type)}
            last = node.body[-1]
            raised = isinstance(last, ast.Raise) and last.exc is None
            if not raised and not names.isdisjoint({"Exception", "BaseException"}):
                found.append(node)
    return found


def has_reason(lines: list[str]) -> bool:
    comments = [line.partition("#")[2].strip() for line in lines]
    return any(comment and not comment.startswith(("noqa", "type:", "pragma:")) for comment in comments)


@rows(
    ("text", "fault"),
    ("[x for row in rows for x in row]", "1: a comprehension with more than one for"),
    ("{k: [x for x in v] for k, v in rows}", "1: a comprehension within a comprehension"),
    ("any(x if x else y for x in rows)", "1: a conditional expression within a comprehension"),
    ("a if b else (c if d else e)", "1: a conditional expression within a conditional expression"),
    ("from operator import itemgetter", "1: itemgetter, where a comprehension or a lambda is read at once"),
    ("_LIMIT, _KEPT = 20, 18", "1: 2 constants in one line"),
    ("def f():\n" + "    x\n" * 60, "1: f has 61 lines"),
    ("try:\n    x\nexcept Exception:  # noqa: BLE001\n    y", "3: a broad except without a reason"),
    ("try:\n    x\nexcept (OSError, BaseException) as e:\n    y", "3: a broad except without a reason"),
    ("try:\n    x\nexcept:\n    raise OSError", "3: a broad except without a reason"),
)  # fmt: skip
def test_a_fault_is_found(text: str, fault: str) -> None:
    assert list(find_faults(text)) == [fault]


def test_the_product_has_no_fault() -> None:
    found = []
    for path in sources():
        found += [f"{path.relative_to(ROOT)}:{fault}" for fault in find_faults(path.read_text())]
    assert found == []


def test_any_error_is_caught_in_few_places() -> None:
    found = []
    for path in sources():
        for handler in broad_handlers(ast.parse(path.read_text())):
            found.append(f"{path.relative_to(ROOT)}:{handler.lineno}")
    assert len(found) <= BROAD, found


def test_what_git_prints_is_cut_at_line_feeds() -> None:
    found = set()
    for path in sources():
        if ".splitlines" in path.read_text():
            found.add(str(path.relative_to(ROOT)))
    assert found == {f"smartcommit/{name}" for name in SPLITLINES}
