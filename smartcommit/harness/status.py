"""What is installed for which harness."""

from __future__ import annotations

from smartcommit.errors import SmartcommitError
from smartcommit.harness import install, settings_text
from smartcommit.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from smartcommit.harness.install import Place, Target
    from smartcommit.harness.products import Product

INSTALLED, OUTDATED, PARTLY, ABSENT, UNREADABLE = "installed", "outdated", "partly", "absent", "unreadable"


class FileStatus(Record):
    """A file that a harness reads, and the state of what is ours in it."""

    path: str
    kind: str
    state: str


def find_states(product: Product, place: Place) -> list[FileStatus]:
    """Return the state of each file that `smartcommit agents install` would write for a harness in a place."""
    found = []
    for target in install.list_targets(product, place):
        found.append(FileStatus(path=target.path, kind=target.kind, state=_find_state(product, target)))
    return found


def _find_state(product: Product, target: Target) -> str:
    try:
        text = install.read(target.path)
        if text is None:
            return ABSENT
        if target.kind == install.HOOKS:
            return _find_hooks(product, text)
    except (SmartcommitError, ValueError):
        return UNREADABLE
    if target.kind == install.BLOCK:
        return INSTALLED if install.BEGIN in text else ABSENT
    return INSTALLED if text == target.content else OUTDATED


def _find_hooks(product: Product, text: str) -> str:
    root = settings_text.parse(text, comments=product.comments)
    hooks = settings_text.get(root, "hooks")
    states = set()
    for event, entry in install.make_entries(product).items():
        groups = settings_text.get(hooks, event)
        states.add(_find_entry(groups, entry))
    return states.pop() if len(states) == 1 else PARTLY


def _find_entry(groups: settings_text.Node | None, entry: object) -> str:
    value = settings_text.load(groups) if groups is not None else []
    if not settings_text.is_ours(value):
        return ABSENT
    return INSTALLED if isinstance(value, list) and entry in value else OUTDATED
