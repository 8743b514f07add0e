"""How many secrets redaction catches, and what else it eats, beside the rules of `detect-secrets`.

    python benchmarks/redact.py [--files FOLDER_OR_GIT_DIRECTORY ...] [--count N] [--paths FOLDER] [--peer PYTHON]

Prints how many plants of `tests/support/plants.py` are redacted, how many of the realistic paths and ordinary lines of
that table are touched, how many file names below --paths, and how many lines in the first N source files of --files,
chosen by the hash of their names, at most three of each. --peer names a Python that has detect-secrets, whose findings
on the same texts are counted. Then the speed on the source files.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from smartcommit.secrets.redaction import redact  # noqa: E402
from tests.support.plants import ORDINARY, PATHS, PLANTS  # noqa: E402

SUFFIXES = {
    ".py",
    ".ts",
    ".tsx",
    ".js",
    ".go",
    ".rs",
    ".java",
    ".kt",
    ".swift",
    ".dart",
    ".c",
    ".h",
    ".sh",
    ".vue",
    ".rb",
}
# Bytes of a file, and files of each repository.
SMALLEST, LARGEST = 2_000, 40_000
EACH = 3
# Reads texts as JSON, and prints for each the lines that have a finding, and what was found.
PEER = """
import json, sys, tempfile, os
from detect_secrets import SecretsCollection
from detect_secrets.settings import default_settings
answers = []
with default_settings(), tempfile.TemporaryDirectory() as folder:
    for number, text in enumerate(json.load(sys.stdin)):
        path = os.path.join(folder, f"{number}.txt")
        with open(path, "w") as file:
            file.write(text + "\\n")
        found = SecretsCollection()
        found.scan_file(path)
        answers.append([[each.line_number, each.secret_value] for _, each in found])
print(json.dumps(answers))
"""


def list_files(source: Path) -> Iterator[tuple[str, str]]:
    """Yield a key and the text of up to EACH source files of a folder's first git directory, or of a folder."""
    heads = sorted(source.rglob("HEAD")) if source.is_dir() else []
    repository = next((head.parent for head in heads if (head.parent / "objects").is_dir()), None)
    if repository is None:
        for path in sorted(source.rglob("*")):
            if path.suffix in SUFFIXES and path.is_file():
                yield str(path), path.read_text("utf-8", "replace")
        return
    git = ["git", "-C", str(repository)]
    listing = subprocess.run([*git, "ls-tree", "-r", "-l", "HEAD"], capture_output=True, text=True, check=False).stdout
    found = []
    for line in listing.splitlines():
        facts, _, path = line.partition("\t")
        size = facts.split()[3]
        if Path(path).suffix in SUFFIXES and size.isdigit() and SMALLEST <= int(size) <= LARGEST:
            found.append((hashlib.sha256(path.encode()).hexdigest(), facts.split()[2]))
    for key, blob in sorted(found)[:EACH]:
        shown = subprocess.run([*git, "cat-file", "blob", blob], capture_output=True, check=False)
        if shown.returncode == 0:
            yield key, shown.stdout.decode("utf-8", "replace")


def read_files(sources: Sequence[Path], count: int) -> list[str]:
    """The texts of `count` source files."""
    found: list[tuple[str, str]] = []
    for source in sources:
        found += list_files(source)
    return [text for _, text in sorted(found)[:count]]


def count_touched(texts: Sequence[str]) -> int:
    """The number of lines that redaction changes."""
    touched = 0
    for text in texts:
        pairs = zip(text.split("\n"), redact(text).split("\n"), strict=True)
        touched += sum(before != after for before, after in pairs)
    return touched


def ask_peer(python: str, texts: Sequence[str]) -> list[list[tuple[int, str]]]:
    """What detect-secrets finds in each text: numbers of lines, and secrets."""
    done = subprocess.run([python, "-c", PEER], input=json.dumps(texts), capture_output=True, text=True, check=True)
    answers: list[list[tuple[int, str]]] = json.loads(done.stdout)
    return answers


def count_peer_lines(python: str, texts: Sequence[str]) -> int:
    """The number of lines in which detect-secrets finds something."""
    return sum(len({line for line, _ in found}) for found in ask_peer(python, texts))


def count_caught(python: str) -> int:
    """The number of plants of which detect-secrets finds all, or a part that leaves less than half."""
    caught = 0
    for plant, found in zip(PLANTS, ask_peer(python, [plant.text for plant in PLANTS]), strict=True):
        rest = plant.text
        for _, secret in found:
            rest = rest.replace(secret, "")
        caught += plant.secret not in rest
    return caught


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--files", nargs="*", type=Path, default=[ROOT / "smartcommit"])
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--paths", type=Path, default=Path("/usr/include"))
    parser.add_argument("--peer")
    options = parser.parse_args()
    names = [str(path) for path in sorted(options.paths.rglob("*")) if path.is_file()]
    files = read_files(options.files, options.count)
    lines = sum(text.count("\n") for text in files)
    eaten = {"paths": list(PATHS), "ordinary lines": list(ORDINARY), "file names": names}
    caught = sum(plant.secret not in redact(plant.text) for plant in PLANTS)
    print(f"secrets caught: {caught} of {len(PLANTS)}")
    if options.peer:
        print(f"  detect-secrets: {count_caught(options.peer)}")
    for what, texts in eaten.items():
        print(f"{what} touched: {count_touched(texts)} of {len(texts)}")
        if options.peer:
            joined = "\n".join(texts)
            print(f"  detect-secrets: {count_peer_lines(options.peer, [joined])}")
    print(f"lines touched in {len(files)} source files: {count_touched(files)} of {lines:,}")
    if options.peer:
        print(f"  detect-secrets: {count_peer_lines(options.peer, files)}")
    start = time.process_time()
    size = sum(len(redact(text)) for text in files)
    print(f"{size / 1e6 / (time.process_time() - start):.1f} million characters a second")


if __name__ == "__main__":
    main()
