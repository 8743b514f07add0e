"""Answers in the forms of models by family, each with the message that is meant by it.

The change adds a section to a README; `docs` is the type of the embedded draft, and of a message without one.
"""

from __future__ import annotations

import json

from tests.support.scripted_client import calling

PLAIN = "fix: paint stripes\n"
SCOPED = "fix(zoo): paint stripes\n"
UNTYPED = "docs: add stripes to the zebras\n"
LONG = "fix: paint stripes\n\nZebras hide.\n"
FIELDS = {"type": "fix", "summary": "paint stripes"}
WHOLE = {**FIELDS, "description": "Zebras hide."}
JSON = json.dumps(FIELDS)
ARGUMENTS = json.dumps({"name": "submit_message", "arguments": FIELDS})
PYTHON = "submit_message(type='fix', summary='paint stripes')"

# Tokens and channels of chat templates.
TEMPLATES = [
    ("llama", "fix: paint stripes<|eot_id|>", PLAIN),
    ("llama", "<|start_header_id|>assistant<|end_header_id|>\n\nfix: paint stripes<|eot_id|>", PLAIN),
    ("llama", "assistant\n\nfix: paint stripes", PLAIN),
    ("llama", f"<|python_tag|>{PYTHON}<|eom_id|>", PLAIN),
    ("llama", f"[{PYTHON}]", PLAIN),
    ("llama", "<|python_tag|>submit_message.call(type='fix', summary='paint stripes')", PLAIN),
    ("qwen", "<think>\nfix: no\n</think>\n\nfix: paint stripes<|im_end|>", PLAIN),
    ("qwen", "fix: paint stripes<|im_end|>\n<|im_start|>user\nThanks!<|im_end|>", PLAIN),
    ("qwen", f"✿FUNCTION✿: submit_message\n✿ARGS✿: {JSON}", PLAIN),
    ("qwen", f"<tool_call>\n{ARGUMENTS}\n</tool_call>", PLAIN),
    ("mistral", "[THINK]fix: no[/THINK]fix: paint stripes</s>", PLAIN),
    ("mistral", "[INST] Write it. [/INST] fix: paint stripes", PLAIN),
    ("mistral", "fix: paint stripes [/INST]", PLAIN),
    ("mistral", f"[TOOL_CALLS]submit_message{JSON}", PLAIN),
    ("mistral", f"[TOOL_CALLS] [{ARGUMENTS}]</s>", PLAIN),
    ("mistral", {"role": "assistant", "content": [{"type": "text", "text": "fix: paint stripes"}]}, PLAIN),
    ("gemma", "fix: paint stripes<end_of_turn>", PLAIN),
    ("gemma", f"```tool_code\nprint(default_api.{PYTHON})\n```", PLAIN),
    ("phi", "<|assistant|>fix: paint stripes<|end|>", PLAIN),
    ("deepseek", "fix: paint stripes<｜end▁of▁sentence｜>", PLAIN),
    ("deepseek", f"<｜tool▁call▁begin｜>function<｜tool▁sep｜>submit_message\n```json\n{JSON}\n```", PLAIN),
    ("kimi", "◁think▷fix: no◁/think▷fix: paint stripes", PLAIN),
    ("kimi", f"<|tool_call_begin|>functions.submit_message:0<|tool_call_argument_begin|>{JSON}", PLAIN),
    (
        "glm",
        "<tool_call>submit_message\n<arg_key>type</arg_key>\n<arg_value>fix</arg_value>\n"
        "<arg_key>summary</arg_key>\n<arg_value>paint stripes</arg_value>\n</tool_call>",
        PLAIN,
    ),
    ("glm", "<|begin_of_thought|>hm<|end_of_thought|><|begin_of_box|>fix: paint stripes<|end_of_box|>", PLAIN),
    ("gpt-oss", "<|channel|>analysis<|message|>hm<|end|><|channel|>final<|message|>fix: paint stripes", PLAIN),
    (
        "gpt-oss",
        "<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>commentary to=functions.submit_message "
        f"<|constrain|>json<|message|>{JSON}<|call|>",
        PLAIN,
    ),
    ("gpt-oss", "analysisWe need a header. Fine.assistantfinalfix: paint stripes", PLAIN),
    ("claude", f'<function_calls><invoke name="submit_message">{JSON}</invoke></function_calls>', PLAIN),
    ("command-r", f"Action: submit_message\nAction Input: {JSON}", PLAIN),
    ("command-r", 'Action: ```json\n[{"tool_name": "submit_message", "parameters": ' + JSON + "}]\n```", PLAIN),
    ("hermes", f"<function=submit_message>{JSON}</function>", PLAIN),
    ("gpt", json.dumps({"tool_calls": [{"function": {"name": "submit_message", "arguments": JSON}}]}), PLAIN),
    ("gpt", json.dumps({"recipient_name": "submit_message", "parameters": FIELDS}), PLAIN),
    ("claude", json.dumps({"type": "tool_use", "name": "submit_message", "input": FIELDS}), PLAIN),
    ("gpt", calling("fix: paint stripes"), PLAIN),
    ("gpt", calling('{"type": "fix", "summary": "paint stripes"'), PLAIN),
]  # fmt: skip

# Objects and fields.
OBJECTS = [
    ("gpt", '{\n  // a fix\n  "type": "fix",\n  "summary": "paint stripes",\n}', PLAIN),
    ("small", "{'type': 'fix', 'scope': None, 'summary': 'paint stripes'}", PLAIN),
    ("small", "{type: 'fix', summary: 'paint stripes'}", PLAIN),
    ("small", '{"type": "fix", "summary": "paint stripes"', PLAIN),
    ("small", "message = {'type': 'fix', 'summary': 'paint stripes'}\nprint(message)", PLAIN),
    ("small", "CommitMessage(type='fix', summary='paint stripes', description='')", PLAIN),
    ("gpt", json.dumps({"candidates": [WHOLE, {"type": "feat", "summary": "add a herd"}]}), LONG),
    ("gpt", json.dumps({"commit": {"header": FIELDS, "body": "Zebras hide."}}), LONG),
    ("gpt", json.dumps({"properties": FIELDS, "required": ["type"]}), PLAIN),
    ("gpt", json.dumps({"type": "fix", "message": "paint stripes"}), PLAIN),
    ("gpt", json.dumps({**FIELDS, "body": ["- Zebras.", "- Lions."]}), f"{PLAIN}\n- Zebras.\n- Lions.\n"),
    ("gpt", json.dumps({"title": "fix: paint stripes", "message": "Zebras hide."}), LONG),
    ("gpt", json.dumps({"title": "Add stripes to the zebras", "body": "N/A"}), UNTYPED),
    ("gpt", json.dumps({"commit_message": "fix: paint stripes\n\nZebras hide.", "explanation": "It is short."}), LONG),
    ("gpt", json.dumps(["fix: paint stripes", "feat: add a herd"]), PLAIN),
    ("gpt", json.dumps("fix: paint stripes\n\nZebras hide."), LONG),
    ("gpt", json.dumps([{"type": "text", "text": "fix: paint stripes"}]), PLAIN),
    ("gpt", "fix: paint stripes\\n\\nZebras hide.", LONG),
    ("gpt", "fix: paint {stripes: 1} of the zebras", "fix: paint {stripes: 1} of the zebras\n"),
    ("yaml", "type: fix\nsummary: paint stripes\ndescription: |\n  Zebras hide.\nbreaking_change:", LONG),
    ("yaml", "```yaml\ntype: fix\nsummary: 'paint stripes'\n```", PLAIN),
    ("toml", 'type = "fix"\nsummary = "paint stripes"', PLAIN),
    ("gemini", "**Type:** fix\n**Scope:** zoo\n**Summary:** paint stripes\n\n**Description:** None", SCOPED),
    ("gemini", "* **Type**: fix\n* **Subject**: paint stripes", PLAIN),
    ("claude", "<type>fix</type>\n<scope>zoo</scope>\n<summary>paint stripes</summary>", SCOPED),
    ("claude", "<commit_message>\nfix: paint stripes\n\nZebras hide.\n</commit_message>", LONG),
    ("claude", "<analysis>It paints.</analysis>\n<answer>fix: paint stripes</answer>", PLAIN),
    ("claude", "fix: paint stripes\n\nZebras hide.\n</commit_message>", LONG),
]  # fmt: skip

# Headers.
HEADERS = [
    ("small", "fix(zoo) - paint stripes", SCOPED),
    ("small", "fix — paint stripes", PLAIN),
    ("small", "fix (zoo) : paint stripes", SCOPED),
    ("small", "fix(zoo) paint stripes", SCOPED),
    ("small", "COMMIT_MSG: fix: paint stripes (#77)", PLAIN),
    ("small", "fix：paint stripes", PLAIN),
    ("small", "fix（zoo）：paint stripes", SCOPED),
    ("small", "[fix] paint stripes", PLAIN),
    ("small", "[fix]: paint stripes", PLAIN),
    ("small", "[fix](zoo): paint stripes", SCOPED),
    ("small", "fix/zoo: paint stripes", SCOPED),
    ("qwen", "fix: 描画する", "fix: 描画する\n"),
    ("small", "FIX: Paint stripes.", "fix: Paint stripes\n"),
    ("small", "Bug Fix: paint stripes", PLAIN),
    ("gemini", "**fix(zoo):** paint stripes", SCOPED),
    ("gemini", "**fix**(zoo): paint stripes", SCOPED),
    ("gemini", "`fix(zoo)`: paint stripes", SCOPED),
    ("gemini", "## Commit Message\n\n`fix: paint stripes`", PLAIN),
    ("gemini", "**Title:** fix: paint stripes\n\n**Body:** Zebras hide.", LONG),
    ("gemini", "> fix: paint stripes\n>\n> Zebras hide.", LONG),
    ("gpt", "Subject: [PATCH] fix: paint stripes\n\nZebras hide.\n---\n README.md | 2 ++", LONG),
    ("gpt", "Commit message: fix: paint stripes", PLAIN),
    ("gpt", "Here is the commit message: fix: paint stripes", PLAIN),
    ("gpt", 'I suggest "fix: paint stripes" for it.', PLAIN),
    ("gpt", "The message is `fix: paint stripes`.", PLAIN),
    ("gpt", "1. **fix: paint stripes** - it is short\n2. **feat: add a herd** - it is long", PLAIN),
    ("gpt", "**Option 1:**\nfix: paint stripes\n\n**Option 2:**\nfeat: add a herd", PLAIN),
    ("deepseek", "$\\boxed{fix: paint stripes}$", PLAIN),
    ("deepseek", "\\boxed{\\text{fix: paint stripes}}", PLAIN),
    ("gitmoji", "🐛 fix: paint stripes", PLAIN),
    ("gitmoji", "fix: 🐛 paint stripes", PLAIN),
    ("gitmoji", ":memo: add stripes to the zebras", UNTYPED),
    ("small", "fix: paint stripes\"", PLAIN),
    ("small", "\"fix: paint stripes\n\nZebras hide.\"", LONG),
    ("small", "Add stripes to the zebras", UNTYPED),
    ("small", "Added stripes to the zebras\n\nZebras hide.", "docs: added stripes to the zebras\n\nZebras hide.\n"),
    ("small", "Add stripes to the zebras.", "docs: add stripes to the zebras\n"),
    ("small", "Summary: add stripes to the zebras", UNTYPED),
    ("small", "Here is it:\n\n```\nAdd stripes to the zebras\n```\nI hope it helps.", UNTYPED),
    ("gpt", "fix: paint stripes of Herd<Zebra>", "fix: paint stripes of Herd<Zebra>\n"),
    ("gpt", "fix: `stripes` of _Zebras_ and List<Zebra>", "fix: `stripes` of _Zebras_ and List<Zebra>\n"),
    ("small", "fix: paint stripes\n\n- fix: hide them", "fix: paint stripes\n\n- fix: hide them\n"),
    ("shell", "git commit -F - <<'MSG'\nfix: paint stripes\n\nZebras hide.\nMSG", LONG),
    ("shell", "fix: paint stripes\n\nZebras hide.\nEOF\n)\"", LONG),
]  # fmt: skip

# What remains in a body, and is none.
REMAINS = [
    ("claude", "🤖 Generated with [Claude Code](https://claude.com/claude-code)"),
    ("claude", "Generated with Claude\n\nCo-Authored-By: Claude <noreply@anthropic.com>"),
    ("copilot", "Written by Copilot"),
    ("cursor", "Made-with: Cursor"),
    ("gpt", "This commit message was generated by ChatGPT."),
    ("gpt", "**Why this message:** it says what changed."),
    ("gpt", "Explanation: it is a fix."),
    ("gpt", "This message follows Conventional Commits."),
    ("gpt", "No description provided."),
    ("gpt", "N/A."),
    ("gpt", "(none)"),
    ("gpt", "Breaking changes: none"),
    ("gpt", "BREAKING CHANGE: None"),
    ("gpt", "Footer: N/A\nRefs: none"),
    ("small", "why, or what is not obvious; may be empty"),
    ("small", "Paint stripes."),
    ("small", "fix: paint stripes"),
    ("small", "Fixes #12"),
    ("small", "Closes o/r#1 and o/r#2"),
    ("small", "(cherry picked from commit 1234567)"),
    ("small", "Signed-off-by: Ada <ada@example.invalid>"),
    ("small", "---"),
]  # fmt: skip

# Nothing that says something of the change.
JUNK = [
    "the the the the", "fix: the the the the", "TODO: write summary", "docs/herd-section", "fix: docs/herd-section",
    "chore: Files changed: 1 (+4 -0 lines)", "fix: update server.py", "fix: def read_port():", "fix: server",
    "feat: add new feature", "fix: fix bug", "chore: various improvements", "feat: <summary>",
    "feat(scope): description", "fix: short description of the change", "I'm sorry, but I cannot help with that.",
    "As an AI, I have no access to it.",
    "{}", "null", "feat: add login page for new users", "docs: Generated with Claude", "lorem ipsum dolor sit amet",
    '{"type": "object", "properties": {"type": {"type": "string"}, "summary": {"type": "string"}}}',
]  # fmt: skip
