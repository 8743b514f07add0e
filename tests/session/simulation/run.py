"""Run simulations and print what their commits had: `python -m tests.session.simulation.run hostile --runs 1000`.

What is counted:

foreign     lines of commits that only another typed, and removals that the session never made; must be 0
mixed       commits with lines of which another typed a part; must be 0
shared      commits with removals that the session made, and that another made again from a buffer that had them
placement   commits with the session's lines alone, in another of several equal readings of the texts
blank       commits with lines without content, such as a bracket, that only another typed or removed
told        commits with a line of another that the session's tool has itself written: it had read it before
misplaced   commits with the session's lines alone, in places where they never stood; must be 0
left        own lines and removals that a commit left, as a share of all there were at that time; and the share of all
            that no commit ever took
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import traceback
from collections import Counter
from pathlib import Path

from tests.session.simulation.settings import KINDS, Settings
from tests.session.simulation.simulation import Defect, Simulation

ROWS = (
    "commits", "lines added", "foreign lines", "verdict foreign", "verdict mixed", "verdict misplaced",
    "verdict placement", "verdict shared", "verdict blank", "verdict told", "bytes lost", "undo",
    "unseen foreign lines", "errors", "kills", "kills in time", "undone",
)  # fmt: skip


def simulate(seed: int, settings: Settings) -> tuple[Simulation, str]:
    """Run one simulation in a folder of its own; return it and the class of the first defect, or ""."""
    folder = Path(tempfile.mkdtemp(prefix="simulation-", dir="/dev/shm" if Path("/dev/shm").is_dir() else None))
    try:
        run = Simulation(folder / "repository", seed, settings)
        try:
            run.run()
        except Defect as e:
            run.fail(e.kind, str(e))
        # Whatever the ledger raises is a defect to report, and the next run goes on.
        except Exception as e:
            frame = traceback.extract_tb(e.__traceback__)[-1]
            run.fail(f"error {type(e).__name__} {Path(frame.filename).name}:{frame.lineno}", traceback.format_exc())
            run.counts["errors"] += 1
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    kinds = [defect.partition(": ")[2].partition(":")[0] for defect in run.defects]
    return run, next((kind for kind in kinds if kind not in ("placement", "shared", "blank", "told")), "")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=sorted(KINDS))
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--verbose", action="store_true", help="print what happens, and each defect")
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    for seed in range(options.seed, options.seed + options.runs):
        run, kind = simulate(seed, KINDS[options.kind])
        counts += run.counts
        if kind:
            kinds[kind] += 1
            print(f"{options.kind} seed {seed}: {kind}", flush=True)
        if options.verbose:
            print("\n".join(run.trace), flush=True)
    for row in ROWS:
        print(f"  {row:24} {counts[row]}")
    for all_own, some_left in (("own", "left"), ("own lines", "own lines never committed")):
        own, left = counts[all_own], counts[some_left]
        print(f"  {all_own + ', ' + some_left:24} {own}, {100 * left / max(own, 1):.1f} %")
    print(f"  {'mean notice':24} {counts['notice microseconds'] / max(counts['notices'], 1) / 1000:.1f} ms")
    return 1 if kinds else 0


if __name__ == "__main__":
    sys.exit(main())
