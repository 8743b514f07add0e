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
JSON = json.dumps(FIELDS)
PYTHON = "submit_message(type='fix', summary='paint stripes')"

# Tokens of chat templates, objects and fields, as far as the answers beside this file have no such form.
OBJECTS = [
    ("llama", f"[{PYTHON}]", PLAIN),
    ("llama", "assistant\n\nfix: paint stripes", PLAIN),
    ("mistral", "[INST] Write it. [/INST] fix: paint stripes", PLAIN),
    ("mistral", "fix: paint stripes [/INST]", PLAIN),
    ("deepseek", f"<｜tool▁call▁begin｜>function<｜tool▁sep｜>submit_message\n```json\n{JSON}\n```", PLAIN),
    ("kimi", "◁think▷fix: no◁/think▷fix: paint stripes", PLAIN),
    ("glm", "<|begin_of_thought|>hm<|end_of_thought|><|begin_of_box|>fix: paint stripes<|end_of_box|>", PLAIN),
    ("gpt", json.dumps({"tool_calls": [{"function": {"name": "submit_message", "arguments": JSON}}]}), PLAIN),
    ("gpt", json.dumps({"recipient_name": "submit_message", "parameters": FIELDS}), PLAIN),
    ("gpt", calling("fix: paint stripes"), PLAIN),
    ("gpt", calling('{"type": "fix", "summary": "paint stripes"'), PLAIN),
    ("small", "CommitMessage(type='fix', summary='paint stripes', description='')", PLAIN),
    ("gpt", json.dumps({"commit": {"header": FIELDS, "body": "Zebras hide."}}), LONG),
    ("gpt", json.dumps({"properties": FIELDS, "required": ["type"]}), PLAIN),
    ("gpt", json.dumps({"type": "fix", "message": "paint stripes"}), PLAIN),
    ("gpt", json.dumps({"title": "fix: paint stripes", "message": "Zebras hide."}), LONG),
    ("gpt", json.dumps({"title": "Add stripes to the zebras", "body": "N/A"}), UNTYPED),
    ("gpt", json.dumps(["fix: paint stripes", "feat: add a herd"]), PLAIN),
    ("gpt", json.dumps("fix: paint stripes\n\nZebras hide."), LONG),
    ("gpt", "fix: paint {stripes: 1} of the zebras", "fix: paint {stripes: 1} of the zebras\n"),
    ("toml", 'type = "fix"\nsummary = "paint stripes"', PLAIN),
    ("gemini", "**Type:** fix\n**Scope:** zoo\n**Summary:** paint stripes\n\n**Description:** None", SCOPED),
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
    ("small", "Feat add stripes to the zebras", "feat: add stripes to the zebras\n"),
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
