"""What a program in Python, Perl, JavaScript or Ruby plainly starts: the texts that stand in it as literals."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# Names of programs, which may be followed by a version.
_INTERPRETERS = frozenset(
    ("python", "pypy", "perl", "ruby", "node", "nodejs", "deno", "bun", "php", "awk", "gawk", "mawk")
)
# What code says where it starts a program.
_STARTS = (
    "subprocess", "os.system", "popen", "Popen", "spawn", "exec", "system", "check_call", "check_output", "Open3",
    "Command", "qx", "`", "$`", "sh.",
)  # fmt: skip
# What code says where it deletes, moves or writes a file.
_HARMS = (
    "rmtree", "os.remove", "unlink", "os.rename", "shutil.move", "chmod", "write_text", "write_bytes", "'w'", '"w"',
    "writeFile", "rmSync", "renameSync", "FileUtils",
)  # fmt: skip
_QUOTES = "'\"`"
# What stands between two arguments.
_SEPARATORS = " \t\r\n,[("
_LIMIT = 100_000


def reads_code(name: str) -> bool:
    """Whether the program `name` reads code in its arguments or its input."""
    return name.rstrip("0123456789.") in _INTERPRETERS


def list_calls(code: str) -> Iterator[str | list[str]]:
    """Yield the texts of shells and the lists of arguments in code that starts programs and names git."""
    if len(code) > _LIMIT or "git" not in code or not any(start in code for start in _STARTS):
        return
    words: list[str] = []
    opened = 0
    for text, between in _find_literals(code):
        if between.strip(_SEPARATORS):
            yield from _list_arguments(words, opened)
            words, opened = [], 0
        elif "[" in between:
            opened = len(words)
        words.append(text)
        if " " in text:
            yield text
    yield from _list_arguments(words, opened)


def _list_arguments(words: list[str], opened: int) -> Iterator[list[str]]:
    """Yield a list of arguments, and the part of it that its own brackets hold: `exec("git", ["git", "log"])`."""
    if len(words) > 1:
        yield words
        if opened and len(words) - opened > 1:
            yield words[opened:]


def _find_literals(code: str) -> Iterator[tuple[str, str]]:
    """Yield each literal with what stands between it and the one before."""
    end = 0
    at = 0
    while at < len(code):
        quote = code[at]
        if quote not in _QUOTES:
            at += 1
            continue
        opening = quote * 3 if code.startswith(quote * 3, at) else quote
        start = at + len(opening)
        close = code.find(opening, start)
        while close > 0 and code[close - 1] == "\\":
            close = code.find(opening, close + 1)
        if close < 0:
            return
        yield code[start:close].replace("\\" + quote, quote), code[end:at]
        at = end = close + len(opening)


def harms_hooks(code: str) -> bool:
    """Whether code names git's hooks and plainly deletes, moves or writes files."""
    if len(code) > _LIMIT or ".git/hooks" not in code:
        return False
    return any(verb in code for verb in _HARMS)
