// Written by 'smartcommit agents install opencode'; 'smartcommit agents uninstall opencode' removes it.
import { spawnSync } from "node:child_process";

const command = COMMAND;

function tell(event, input, directory, fields) {
  const notice = {
    hook_event_name: event, session_id: input.sessionID, tool_use_id: input.callID, cwd: directory,
    tool_name: input.tool, ...fields,
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

export const Smartcommit = async ({ directory }) => {
  const sessions = new Map();
  return {
    "chat.message": async (input, output) => {
      if (!sessions.has(input.sessionID)) sessions.set(input.sessionID, tell("SessionStart", input, directory, {}));
      const typed = output.parts.filter((part) => part.type === "text" && !part.synthetic);
      tell("UserPromptSubmit", input, directory, { prompt: typed.map((part) => part.text).join("\n") });
    },
    "experimental.chat.system.transform": async (input, output) => {
      const context = sessions.get(input.sessionID);
      if (context) output.system.push(context);
    },
    "tool.execute.before": async (input, output) => {
      const reason = tell("PreToolUse", input, directory, { tool_input: output.args });
      if (reason) throw new Error(reason);
    },
    "tool.execute.after": async (input, output) => {
      const seen = tell("PostToolUse", input, directory, { tool_input: input.args });
      if (seen && typeof output?.output === "string") output.output += `\n${seen}`;
    },
    dispose: async () => {
      for (const sessionID of sessions.keys()) tell("SessionEnd", { sessionID }, directory, {});
    },
  };
};
