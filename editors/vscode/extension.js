"use strict";

const { execFile } = require("node:child_process");
const vscode = require("vscode");

// Milliseconds and bytes; the time limit of a model is a setting of smartcommit, 20 seconds by default.
const TIME_LIMIT = 300000;
const OUTPUT_LIMIT = 1 << 20;

function activate(context) {
  context.subscriptions.push(vscode.commands.registerCommand("smartcommit.draft", draftIntoBox));
}

/** Draft a message into the box of a repository: that of `sourceControl`, or the selected one. */
async function draftIntoBox(sourceControl) {
  try {
    const repository = await findRepository(sourceControl);
    const place = { location: vscode.ProgressLocation.SourceControl, title: "smartcommit drafts the message" };
    const draft = await vscode.window.withProgress(place, () => makeDraft(repository.rootUri.fsPath));
    const text = draft.message.trimEnd();
    const shown = repository.inputBox.value;
    // What somebody has typed is replaced only if they say so.
    if (shown.trim() !== "" && shown !== text && !(await mayReplace())) {
      return;
    }
    repository.inputBox.value = text;
    if (draft.reason) {
      vscode.window.setStatusBarMessage(`smartcommit: drafted without a model: ${draft.reason}`, 10000);
    }
  } catch (error) {
    vscode.window.showErrorMessage(error.message);
  }
}

async function findRepository(sourceControl) {
  const extension = vscode.extensions.getExtension("vscode.git");
  const git = (await extension.activate()).getAPI(1);
  const root = sourceControl?.rootUri?.toString();
  let found = git.repositories.find((each) => (root ? each.rootUri.toString() === root : each.ui.selected));
  if (!found && !root) {
    found = git.repositories[0];
  }
  if (!found) {
    throw new Error("smartcommit: no git repository is open");
  }
  return found;
}

async function mayReplace() {
  const answer = await vscode.window.showWarningMessage("Replace the message by the draft?", { modal: true }, "Replace");
  return answer === "Replace";
}

async function makeDraft(folder) {
  const output = await runDraft(folder);
  try {
    return JSON.parse(output);
  } catch {
    throw new Error("smartcommit: the answer of 'smartcommit draft --json' is not JSON");
  }
}

/** Return what `smartcommit draft --json` prints in `folder`; the command is started without a shell. */
function runDraft(folder) {
  const command = vscode.workspace.getConfiguration("smartcommit").get("path");
  const options = { cwd: folder, timeout: TIME_LIMIT, maxBuffer: OUTPUT_LIMIT, windowsHide: true };
  return new Promise((resolve, reject) => {
    execFile(command, ["draft", "--json"], options, (error, output, said) => {
      if (!error) {
        resolve(output);
      } else if (error.code === "ENOENT") {
        reject(new Error(`smartcommit: '${command}' was not found; install it, or set "smartcommit.path"`));
      } else {
        reject(new Error(said.trim().replace(/\s*\n\s*/g, "; ") || `smartcommit: ${error.message}`));
      }
    });
  });
}

module.exports = { activate };
