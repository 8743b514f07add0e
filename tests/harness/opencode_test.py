"""The plug-in for opencode, loaded by node as opencode loads it, with the calls that its interface documents."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from smartcommit.git.repo import Repository
from smartcommit.harness.install import find_project_place, install
from smartcommit.harness.products import PRODUCTS
from smartcommit.session.ledger import open_ledger
from tests.support.components import component
from tests.support.installation import Installation
from tests.support.repository import Repo

SESSION = "ses_1"
# Makes an edit and a commit that goes around the hooks, as opencode calls tools; prints why a call was refused.
SCRIPT = """
import { execSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { Smartcommit } from "./plugin.mjs";
const directory = process.argv[2];
const hooks = await Smartcommit({ directory });
async function call(tool, args, run) {
  const input = { tool, sessionID: "ses_1", callID: `call_${tool}` };
  try {
    await hooks["tool.execute.before"](input, { args });
  } catch (error) {
    console.log(JSON.stringify(error.message));
    return;
  }
  run();
  const result = { title: "", output: "", metadata: {} };
  await hooks["tool.execute.after"]({ ...input, args }, result);
  if (result.output) console.log(JSON.stringify(result.output));
}
const path = `${directory}/base.txt`;
await call("edit", { filePath: path, oldString: "base", newString: "BASE" }, () => writeFileSync(path, "BASE\\n"));
await call("bash", { command: "git commit --no-verify -m x" }, () => process.exit(1));
await call("bash", { command: "git status" }, () => undefined);
await call("bash", { command: "make" }, () => execSync("git commit -nqam x", { cwd: directory }));
"""


def test_the_plugin_notes_edits_and_tells_what_is_refused_and_seen(
    based: Repo, tmp_path: Path, installation: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{installation.bin}:{os.environ['PATH']}")
    repository = Repository.find(str(based.path))
    based.write(".git/hooks/commit-msg", '#!/bin/sh\nexec smartcommit-commit-msg "$1"\n', executable=True)
    plugin, skill = install(PRODUCTS["opencode"], find_project_place(repository))
    assert skill.endswith(".opencode/skills/smartcommit/SKILL.md")
    shutil.copy(plugin, tmp_path / "plugin.mjs")
    (tmp_path / "harness.mjs").write_text(SCRIPT)
    done = subprocess.run(
        [component("node"), "harness.mjs", str(based.path)], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    refused, told = done.stdout.splitlines()
    assert json.loads(told).startswith("\ncommitted without the commit-msg hook: ")
    assert json.loads(refused).endswith("\nnext: smartcommit session commit --session ses_1")
    with open_ledger(repository) as ledger:
        own = {file.path: file.own for file in ledger.list_files(SESSION) if file.own}
    assert own == {}, "it was committed"
    assert based.git("show", "HEAD:base.txt") == "BASE\n"
