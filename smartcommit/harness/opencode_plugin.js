// Written by 'smartcommit agents install opencode'; 'smartcommit agents uninstall opencode' removes it.
import { spawnSync } from "node:child_process";

const command = COMMAND;

function tell(event, input, args, directory) {
  const notice = {
    hook_event_name: event, session_id: input.sessionID, tool_use_id: input.callID, cwd: directory,
    tool_name: input.tool, tool_input: args,
  };
  const done = spawnSync("/bin/sh", ["-c", command], {
    cwd: directory, encoding: "utf8", input: JSON.stringify(notice), timeout: 30000,
  });
  try {
    const answer = JSON.parse(done.stdout).hookSpecificOutput;
    return answer.permissionDecisionReason ?? answer.additionalContext;
  } catch {
    return undefined;
  }
}

export const Smartcommit = async ({ directory }) => ({
  "tool.execute.before": async (input, output) => {
    const reason = tell("PreToolUse", input, output.args, directory);
    if (reason) throw new Error(reason);
  },
  "tool.execute.after": async (input, output) => {
    const seen = tell("PostToolUse", input, input.args, directory);
    if (seen && typeof output?.output === "string") output.output += `\n${seen}`;
  },
});
