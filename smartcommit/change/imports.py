"""What a line imports."""

from __future__ import annotations

from smartcommit.change.text import FileText, is_import
from smartcommit.patterns import compile_on_use

# Patterns of lines that import; the names are in the last group. More general ones follow.
_FORMS = (
    compile_on_use(r"(from __future__ import \w+)\Z"),
    compile_on_use(r"#\s*include\s*([<\"][^>\"]{1,100}[>\"])"),
    compile_on_use(r"from\s+\S+\s+import\s+\(?([\w, ]+)\)?\Z"),
    compile_on_use(r"(?:import|export)\s+(?:type\s+)?\{\s*([\w$, ]+?)[\s,]*\}\s+from\b"),
    compile_on_use(r"import\s+(?:type\s+)?(\w+)\s+from\b"),
    compile_on_use(r"import\s+['\"]([^'\"]{1,100})['\"]"),
    compile_on_use(r"(?:pub\s+)?use\s+(?:[\w]+::)*(\w+);"),
    compile_on_use(r"import\s+(?:static\s+)?(?:[\w.]+\.)?(\w+);?\Z"),
    compile_on_use(r"import\s+([\w.]+)\Z"),
    compile_on_use(r"require(?:_relative)?\s*\(?['\"]([^'\"]{1,100})['\"]"),
    compile_on_use(r"using\s+([\w.]+);"),
)
_GO_IMPORT = compile_on_use(r"(?:\w+\s+)?\"([\w./-]{1,100})\"\Z")


def list_imported(line: str, file: FileText) -> list[str]:
    """Return the names that `line`, without its indentation, imports; empty if it does not, or in another form."""
    if file.ending == "go":
        found = _GO_IMPORT.match(line)
        return [found[1]] if found else []
    if not is_import(line):
        return []
    for form in _FORMS:
        found = form.search(line)
        if found:
            return [name.strip() for name in found[1].split(",") if name.strip()]
    return []
