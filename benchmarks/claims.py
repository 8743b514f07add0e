"""How well the rule `claims` tells true messages from false ones: `python benchmarks/claims.py GIT_DIRECTORY...`.

Draws commits of people from each project and counts how many of their messages are passed, then makes their messages
false in known ways (`mutations.py`) and counts how many of these are found: those with a finding that the true message
does not have. With the same directories and `--seed` the same commits are drawn. `--untrue FILE` names commits, one a
line, whose own message was read and says what the change does not show; they are counted apart.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import chdir
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT)]

from mutations import KINDS, Mutation, Surroundings, mutate  # noqa: E402
from real_commits import RealCommit, draw_commits  # noqa: E402

from smartcommit.claims.compare import find_violations  # noqa: E402
from smartcommit.claims.evidence import ChangeEvidence  # noqa: E402
from smartcommit.claims.ranges import read_changes  # noqa: E402
from smartcommit.message.parse import parse  # noqa: E402


@dataclass
class Verdict:
    """What the rule says of one message; `kind` is empty for the commit's own."""

    commit: RealCommit
    kind: str
    message: str
    words: str
    findings: list[str]
    new: list[str] = field(default_factory=list)  # those that the commit's own message does not have


def main() -> None:
    """Print a row for each kind of message, and examples of errors."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("projects", nargs="+", metavar="GIT_DIRECTORY")
    parser.add_argument("--each", type=int, default=20, help="commits per project, and false messages of a kind")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--examples", type=int, default=0, help="errors to print for each kind")
    parser.add_argument("--untrue", type=Path, help="a file of commits that are false themselves")
    parser.add_argument("--out", type=Path, help="a JSONL file for all verdicts")
    options = parser.parse_args()
    untrue = set(options.untrue.read_text().split()) if options.untrue else set()
    verdicts = []
    for directory in options.projects:
        verdicts += judge_project(directory, options.each, options.seed)
        print(f"{directory}: {len(verdicts)} messages so far", file=sys.stderr, flush=True)
    if options.out:
        options.out.write_text("".join(json.dumps(describe(verdict)) + "\n" for verdict in verdicts))
    print_figures(verdicts, untrue)
    print_examples(verdicts, options.examples, options.seed)


def judge_project(directory: str, each: int, seed: int) -> Iterator[Verdict]:
    """Yield the verdicts on the drawn commits of a project, and on at most `each` false messages of a kind."""
    drawn, spare = draw_commits(directory, each, seed)
    made: Counter[str] = Counter()
    for number, commit in enumerate([*drawn, *spare]):
        wanted = []
        for mutation in mutate(Surroundings(commit, random.Random(f"{seed} {commit.oid}"), drawn)):
            if made[mutation.kind] < each:
                made[mutation.kind] += 1
                wanted.append(mutation)
        if number < len(drawn) or wanted:
            own, *false = judge(commit, wanted)
            if number < len(drawn):
                yield own
            yield from false


def judge(commit: RealCommit, mutations: list[Mutation]) -> Iterator[Verdict]:
    """Yield the verdict on the message of a commit, and on each false one."""
    with chdir(commit.directory):
        (_, change), *_ = read_changes(f"{commit.oid}^..{commit.oid}")
    own = find(commit.message, change)
    yield Verdict(commit, "", commit.message, "", own, own)
    for mutation in mutations:
        findings = find(mutation.message, change)
        new = [finding for finding in findings if finding not in own]
        yield Verdict(commit, mutation.kind, mutation.message, mutation.words, findings, new)


def find(message: str, change: ChangeEvidence) -> list[str]:
    """Return what the rule says of a message."""
    findings = []
    for violation in find_violations(parse(message), change):
        findings.append(f"{violation.line + 1}: {violation.text} ({violation.expected})")
    return findings


def describe(verdict: Verdict) -> dict[str, Any]:
    """A verdict as JSON."""
    return {
        "project": verdict.commit.project,
        "commit": verdict.commit.oid,
        "kind": verdict.kind,
        "message": verdict.message,
        "words": verdict.words,
        "findings": verdict.findings,
        "new": verdict.new,
    }


def print_figures(verdicts: list[Verdict], untrue: set[str]) -> None:
    """Print the specificity, and the recall of each kind."""
    own = [verdict for verdict in verdicts if not verdict.kind]
    true = [verdict for verdict in own if verdict.commit.oid not in untrue]
    passed = sum(not verdict.findings for verdict in true)
    print(f"specificity        {passed / len(true):.3f}  {passed} of {len(true)} commits")
    found = sum(bool(verdict.findings) for verdict in own if verdict.commit.oid in untrue)
    print(f"untrue themselves  {len(own) - len(true)} commits, {found} of them found")
    groups: dict[str, list[Verdict]] = defaultdict(list)
    for verdict in verdicts:
        for name in list_groups(verdict):
            groups[name].append(verdict)
    for kind in sorted(groups):
        found = sum(bool(verdict.new) for verdict in groups[kind])
        print(f"{kind:18s} {found / len(groups[kind]):.3f}  {found} of {len(groups[kind])}")


def list_groups(verdict: Verdict) -> set[str]:
    """The kind of a false message, that before its colon, and for names and paths where they stand."""
    groups = {verdict.kind, verdict.kind.partition(":")[0]} - {""}
    if verdict.kind in ("name", "path"):
        header = verdict.message.partition("\n")[0]
        groups.add(f"{verdict.kind}: header" if verdict.words in header else f"{verdict.kind}: body")
    return groups


def print_examples(verdicts: list[Verdict], count: int, seed: int) -> None:
    """Print `count` true messages that are flagged, and as many false ones of each kind that are not."""
    for kind in ("", *KINDS):
        wrong = [verdict for verdict in verdicts if verdict.kind == kind and bool(verdict.new) != bool(kind)]
        for verdict in random.Random(seed).sample(wrong, min(count, len(wrong))):
            print(f"\n{kind or 'true'}: {verdict.commit.project} {verdict.commit.oid[:12]} {verdict.words}")
            for line in [*verdict.message.splitlines()[:12], *(f"=> {finding}" for finding in verdict.findings)]:
                print(f"    {line}")


if __name__ == "__main__":
    main()
