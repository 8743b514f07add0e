"""How well the rule `why` tells messages that give a reason from others: `python benchmarks/why.py LABELED.csv`.

LABELED.csv has 1,649 messages that people labeled, "sampled messages.csv" of Tian et al., What Makes a Good Commit
Message? (ICSE 2022): label 0 has what and why, 1 neither, 2 no what, 3 no why. As the rule is for large changes with a
type of which a reason is expected, each message is judged as a `fix:` of such a change. The labels count a reason in
the header and a link to an issue too, and the rule asks for one in the body: look at the longer bodies.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT)]

from smartcommit.claims.evidence import EvidenceReader  # noqa: E402
from smartcommit.claims.reasons import find_missing_reason  # noqa: E402
from smartcommit.message.parse import parse  # noqa: E402

LINES = 200  # added lines of the made-up change
WITHOUT_REASON = ("1", "3")


def main() -> None:
    """Print how many messages with and without a reason get the hint, by project and by body."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("labeled", type=Path)
    options = parser.parse_args()
    hinted: dict[tuple[str, bool], list[bool]] = defaultdict(list)
    for project, message, lacks_reason in read_messages(options.labeled):
        body = message.partition("\n")[2]
        form = "header alone"
        if body:
            form = "a body of ten words" if len(body.split()) >= 10 else "a shorter body"
        for name in (project, form):
            hinted[name, lacks_reason].append(gets_hint(message))
    for name in sorted({name for name, _ in hinted}):
        lacking, giving = hinted[name, True], hinted[name, False]
        recall, passed = sum(lacking) / len(lacking), 1 - sum(giving) / len(giving)
        print(f"{name:28s} recall {recall:.3f} of {len(lacking):3d}, specificity {passed:.3f} of {len(giving):3d}")


def read_messages(path: Path) -> list[tuple[str, str, bool]]:
    """Return the project, the text, and whether people found no reason in it, of each message."""
    messages = []
    with path.open(encoding="utf-8", errors="replace", newline="") as file:
        for row in csv.DictReader(file):
            lines = [line.strip() for line in row["message"].split("<enter>")]
            project = "/".join(row["url"].split("/")[3:5])
            messages.append((project, "\n".join(lines).strip(), row["label"] in WITHOUT_REASON))
    return messages


def gets_hint(message: str) -> bool:
    """Whether the rule asks for a reason."""
    patch = [f":000000 100644 {'0' * 40} {'1' * 40} A\ta.py", "", "diff --git a/a.py b/a.py", "new file mode 100644"]
    patch += ["--- /dev/null", "+++ b/a.py", f"@@ -0,0 +1,{LINES} @@"]
    patch += [f"+line {number}" for number in range(LINES)]
    change = EvidenceReader().read(line.encode() for line in patch)
    return bool(find_missing_reason(parse(f"fix: {message}"), change))


if __name__ == "__main__":
    main()
