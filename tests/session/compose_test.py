"""A composed target is committed in any parts, and what is staged stays: the index is as git itself would merge it."""

import random
import subprocess
from pathlib import Path

from smartcommit.errors import SplitError
from smartcommit.git.fast_import import Identity
from smartcommit.git.hunks import read_units
from smartcommit.git.repo import Repository
from smartcommit.git.snapshot import take_snapshot
from smartcommit.git.transaction.undo import undo
from smartcommit.session.compose import Composer
from smartcommit.session.ledger import SessionFile
from smartcommit.session.store import Blob
from smartcommit.split.apply import prepare
from smartcommit.split.plan import PlannedCommit, SplitPlan
from tests.support.profile import repeat
from tests.support.repository import Repo
from tests.support.splitting import WHO

NAMES = ("a", "b", "c", "d/e", "d/f", "g")


def edit(chance: random.Random, text: str | None) -> str | None:
    """Some other content, or none; mostly a few lines are changed."""
    if text is None or chance.random() < 0.15:
        return chance.choice([None, "new\n", "new\nlines\n"])
    lines = text.splitlines(keepends=True)
    for _ in range(chance.randint(1, 3)):
        place = chance.randint(0, len(lines))
        lines[place : place + chance.randint(0, 2)] = [f"{chance.randint(0, 9)}\n"] * chance.randint(0, 2)
    return "".join(lines)


def merge(folder: Path, base: str, ours: str, theirs: str) -> str | None:
    """What git makes of two edits, None if they contradict each other."""
    names = []
    for name, text in (("ours", ours), ("base", base), ("theirs", theirs)):
        names.append(str(folder / name))
        (folder / name).write_text(text)
    done = subprocess.run(["git", "merge-file", "-p", *names], capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else None


def read(repo: Repo, name: str) -> str | None:
    done = repo.run("cat-file", "blob", name)
    return done.stdout.decode() if done.returncode == 0 else None


def make(repo: Repo, chance: random.Random) -> list[SessionFile]:
    """Files in HEAD, some staged with another content, and what a session makes of some of them."""
    committed = {name: "".join(f"line {number}\n" for number in range(12)) for name in NAMES if chance.random() < 0.8}
    repo.commit("chore: files", committed)
    files = []
    for name in NAMES:
        text = committed.get(name)
        ours, staged = edit(chance, text), edit(chance, text)
        if chance.random() < 0.5:
            if staged is None:
                repo.git("rm", "-q", "--cached", "--ignore-unmatch", name)
            else:
                repo.stage({name: staged})
        if chance.random() < 0.7:
            blobs = []
            for content in (text, ours):
                oid = None
                if content is not None:
                    oid = repo.git("hash-object", "-w", "--stdin", stdin=content.encode()).strip()
                blobs.append(oid and Blob("100644", oid))
            files.append(SessionFile(name.encode(), *blobs, 1, []))
    return files


def test_any_part_is_committed_beside_what_is_staged(tmp_path: Path) -> None:
    for seed in range(repeat(fast=10, full=75)):
        commit_a_part(Repo.init(tmp_path / f"repo{seed}"), random.Random(seed))


def commit_a_part(repo: Repo, chance: random.Random) -> None:
    """Commit some units of a random change, check the index, and undo it."""
    files = make(repo, chance)
    repository = Repository.find(str(repo.path))
    before, head = repo.state(), repo.git("rev-parse", "HEAD").strip()
    tree, entries = repo.git("write-tree").strip(), repo.git("ls-files", "--stage", "-z")
    composer = Composer(files)
    with take_snapshot(repository, compose=composer.compose) as snapshot:
        change = read_units(snapshot.repository, snapshot.since, snapshot.target, cut=chance.random() < 0.8)
        chosen = [unit for unit in change.units if chance.random() < 0.6]
        skipped = [unit for unit in change.units if unit not in chosen]
        if not chosen:
            return
        plan = SplitPlan(snapshot.base, snapshot.target, staged=False, engine="given", commits=(), change=change)
        plan = plan.with_commits([PlannedCommit("feat: x\n", tuple(chosen))])
        try:
            prepared = prepare(snapshot, plan, Identity(WHO, WHO))
        except SplitError:
            assert skipped
            return
        prepared.publish()
    held = {file.path for file in composer.held}
    for file in files:
        name = file.path.decode()
        base, made = read(repo, f"{head}:{name}"), read(repo, f"HEAD:{name}")
        staged, index = read(repo, f"{tree}:{name}"), read(repo, f":{name}")
        composed = file.composed and read(repo, file.composed.oid)
        if file.path in held:
            assert made == base
        if made == base:
            assert index == staged
        elif staged == base:
            assert index == made
        elif staged == composed:
            assert index == staged
        else:
            assert None not in (base, made, staged)
            assert index == merge(repo.path.parent, str(base), str(made), str(staged))
    undo(repository)
    assert repo.state()[:2] == before[:2]
    assert repo.git("ls-files", "--stage", "-z") == entries
