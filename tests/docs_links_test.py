"""Links of the documentation."""

import re
from pathlib import Path

from tests.support.documentation import PAGES, ROOT, find_anchors, find_links

OTHERS = (*sorted(ROOT.glob("*.md")), *sorted((ROOT / "training").glob("*.md")))


def find_fault(page: Path, target: str) -> str | None:
    """Return what is wrong with a link to `target` on `page`, if anything."""
    path, _, anchor = target.partition("#")
    found = (page.parent / path).resolve() if path else page
    if not found.exists():
        return f"there is no {path}"
    if found.suffix == ".md" and anchor and anchor not in find_anchors(found):
        return f"{path or page.name} has no heading {anchor}"
    return None


def test_every_link_leads_somewhere() -> None:
    faults = []
    checked = 0
    for page in dict.fromkeys((*PAGES, *OTHERS)):
        for target in find_links(page):
            checked += 1
            fault = find_fault(page, target)
            if fault:
                faults.append(f"{page.relative_to(ROOT)}: {fault}")
    assert faults == []
    assert checked > 100


def test_every_hint_leads_to_the_documentation_on_the_web() -> None:
    """An installation has no documentation beside it."""
    faults = []
    checked = 0
    for module in (ROOT / "smartcommit").rglob("*.py"):
        source = module.read_text()
        targets = re.findall(r"\{DOCS\}/([\w.-]+(?:#[\w-]+)?)", source)
        faults += [target for target in targets if find_fault(ROOT / "docs" / "README.md", target)]
        faults += re.findall(r"\bsee docs/.*|docs/\S+\.md has", source)
        checked += len(targets)
    assert faults == []
    assert checked >= 5


def test_the_index_lists_every_page() -> None:
    index = ROOT / "docs" / "README.md"
    listed = {target for target in find_links(index) if not target.startswith("..")}
    assert listed == {page.name for page in PAGES if page.parent.name == "docs"} - {index.name}
