"""Messages made by rule, and configurations of commitlint, to compare its verdicts with ours.

`python -m tests.support.verdicts` asks the commitlint of `.ci/components` and writes
`tests/setup/commitlint_verdicts.json`.
"""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from smartcommit.config import Settings, make_rules
from smartcommit.git.query import parse_config
from smartcommit.git.repo import Repository
from smartcommit.message.checks import find_errors
from smartcommit.message.rules import Rules
from smartcommit.setup.other_tools import find_conventions
from tests.support.components import component

RECORDED = Path(__file__).parents[1] / "setup" / "commitlint_verdicts.json"
_CUSTOM = """\
# Rules of our own.
extends: ['@commitlint/config-conventional']
rules:
  type-enum: [2, always, [feat, fix, docs, chore, build]]
  scope-enum: [2, always, [api, web, my_scope]]
  scope-empty: [2, never]
  scope-case: [2, always, lower-case]
  subject-case: [2, always, sentence-case]
  subject-full-stop: [0]
  header-max-length: [2, always, 72]
  body-leading-blank: [2, always]
  body-max-line-length: [2, always, 80]
  footer-max-line-length: [2, always, 100]
"""
_PLAIN = """\
parserPreset: conventional-changelog-conventionalcommits
rules:
  type-empty: [2, never]
  subject-empty: [2, never]
  type-case: [2, always, lower-case]
  scope-empty: [2, always]
  subject-case: [2, always, lower-case]
  subject-full-stop: [2, always, .]
  body-empty: [2, never]
"""
# For each configuration its file and its text.
CONFIGURATIONS: dict[str, tuple[str, str]] = {
    "config-conventional": (".commitlintrc.json", '{"extends": ["@commitlint/config-conventional"]}'),
    "config-angular": (".commitlintrc.yml", "extends: ['@commitlint/config-angular']\n"),
    "rules of its own": (".commitlintrc.yml", _CUSTOM),
    "rules without a preset": (".commitlintrc.yaml", _PLAIN),
}
_SUMMARIES = (
    "add the cart", "Add the cart", "Add The Cart", "ADD THE CART", "addTheCart", "AddTheCart", "add-the-cart",
    "add the cart.", "Add the cart.", "add the cart..", "add the cart...", "add the API", "API keys are read",
    "aPI keys", "`Cart` is added", "'Add' the cart", "add `Cart`", "12 carts", "äpfel", "Äpfel", "日本語",
    "(Add) the cart", "a", "A", "add the cart!", "add: the cart", "x.",
)  # fmt: skip
_HEADS = (
    "feat", "fix(api)", "docs(web)", "feat!", "fix(api)!", "feat(API)", "feat(my_scope)", "feat(api,web)",
    "feat(api/web)", "feat(api, other)", "feat(two words)", "feat()", "feat(Api-Client)", "feat(@org/pkg)", "Feat",
    "FIX", "wip", "style", "revert", "build(deps)", "feat-x", "feature", "", "(api)", "feat (api)", "feat(api",
    "feat api", "feat(api)(web)",
)  # fmt: skip
_WHOLE = (
    "Add the cart", "add the cart", "feat:add the cart", "feat : add the cart", "feat:  add the cart", "feat:",
    "feat(api):", "feat - add the cart", "[feat] add the cart", "feat\uff1aadd the cart", "✨ feat: add the cart",
    "#12 feat: add the cart", 'Revert "feat: add the cart"', "Revert the cart", "Reapply the cart", "Merge branch 'x'",
    "Merge branch 'x' into y", "Merge pull request #1 from a/b", "Merge tag 'v1'", "Merge the carts",
    "Merge remote-tracking branch 'origin/x'", "fixup! feat: add the cart", "squash! feat: add the cart",
    "amend! feat: add the cart", "1.2.3", "v1.2.3", "chore: 1.2.3", "chore(release): 1.2.3",
    "chore(release): 1.2.3 [skip ci]", "Initial commit", "wip", "feat(api): add the cart (#12)", "docs: a",
)  # fmt: skip
# What commitlint lets pass unread: the start of a header, a version, a line anywhere.
_TYPED = re.compile(
    r"(?:[Rr]evert|[Rr]eapply|Merge|Automatic merge|(?:amend|fixup|squash)!) ?"
    r"|(?:chore(?:\([^)]+\))?: )?v?\d+\.\d+\.\d+"
)
_MERGE = re.compile(r"^Merge (?:branch|tag|pull request|.* into) ", re.MULTILINE)
_LENGTHS = {"header-max-length", "body-max-line-length", "footer-max-line-length"}
_FOOTERS = {"body-max-line-length", "footer-max-line-length", "body-empty", "line-length", "section-missing"}
_LONG = "https://example.com/" + "a" * 100


def list_messages() -> list[str]:
    """Return the messages: every form of a header, case, length, body and footer that a rule of commitlint looks at."""
    found = [f"{head}: add the cart" for head in _HEADS]
    found += [f"{head}: Add the cart\n\nWhy it was added." for head in _HEADS[:20]]
    for head in ("feat", "feat(api)", "fix(web)"):
        found += [f"{head}: {summary}" for summary in _SUMMARIES]
    found += [f"feat: {summary}\n\nWhy it was added." for summary in _SUMMARIES]
    found += _WHOLE
    for head in ("feat: ", "feat(api): Add "):
        for length in (50, 71, 72, 73, 99, 100, 101, 119, 120, 121, 130):
            found.append(_fill(head, length))
        found.append(_fill(head, 98) + "🐄")
        found.append(_fill(head, 98) + "🐄🐄")
    for head in ("feat: add the cart", "feat(api): Add the cart", "fix: repair it."):
        found += [head + "\n" + rest for rest in _list_bodies()]
    return list(dict.fromkeys(found))


def _fill(start: str, length: int) -> str:
    return (start + "word " * length)[: length - 1] + "x"


def _list_bodies() -> Iterator[str]:
    for length in (79, 80, 81, 99, 100, 101):
        yield "\n" + "b" * length
        yield "\nWhy.\n\nReviewed-by: " + "r" * (length - 13)
        yield f"\nWhy.\n\nBREAKING CHANGE: {'c' * (length - 17)}"
    yield "Why, without a blank line."
    yield "\nSee " + _LONG
    yield "\nWhy.\n\nLink: " + _LONG
    yield "\nWhy.\nCloses #12"
    yield "\nWhy.\n\nCloses #12"
    yield "\nCloses #12"
    yield "\n" + "see #12 " * 13
    yield "\nWhy.\nBREAKING CHANGE: the cart is empty"
    yield "\n\nWhy, after two blank lines."
    yield "\nSigned-off-by: Ada <ada@example.com>"
    yield "\nWhy.\nNote: a word with a colon\n\nMore."


def find_reason(message: str, theirs: Sequence[str], ours: Sequence[str]) -> str:
    """Return why the verdicts on `message` differ on purpose, as `docs/checking.md` says; empty without a reason."""
    line = message.partition("\n")[0]
    reasons = {
        "automatic": not theirs and (_TYPED.match(line) or _MERGE.search(message)),
        "form": not theirs and {"header-form", "header-space"}.intersection(ours),
        "blank line": not theirs and ours == ["body-blank"],
        "exclamation mark": theirs == ["subject-exclamation-mark"],
        "length": len(message.encode("utf-16-le")) > 2 * len(message) and _LENGTHS.issuperset(theirs),
        "footer": _FOOTERS.issuperset([*theirs, *ours]),
    }
    return next((reason for reason, holds in reasons.items() if holds), "")


def write_configuration(name: str, folder: Path) -> None:
    file, text = CONFIGURATIONS[name]
    (folder / file).write_text(text)


def find_rules(name: str, folder: Path) -> Rules:
    """Return the rules that `smartcommit policy` proposes for the configuration `name` in the repository `folder`."""
    write_configuration(name, folder)
    repository = Repository.find(str(folder))
    policy = find_conventions(repository).to_policy()
    listing = repository.run("config", "--file", "-", "-z", "--list", stdin=policy.encode())
    return make_rules(Settings(policy=parse_config(listing), directory=str(folder)), finished=True)


def list_refused(messages: Sequence[str], rules: Rules) -> list[list[str]]:
    """Return for each message the codes of the errors that it is refused for."""
    return [[violation.code for violation in find_errors(message, rules)] for message in messages]


_SCRIPT = """\
import load from '@commitlint/load'; import lint from '@commitlint/lint'; import fs from 'node:fs';
const { file, messages } = JSON.parse(fs.readFileSync(0, 'utf8'));
const { rules, parserPreset, plugins, ignores, defaultIgnores } = await load({}, { file, cwd: process.cwd() });
const parserOpts = parserPreset && parserPreset.parserOpts || {};
const verdicts = [];
for (const message of messages) {
    const { errors } = await lint(message, rules, { parserOpts, plugins, ignores, defaultIgnores });
    verdicts.push(errors.map(error => error.name));
}
console.log(JSON.stringify(verdicts));
"""


def ask_commitlint(name: str, messages: Sequence[str]) -> list[list[str]]:
    """Return for each message the names of the rules for which commitlint refuses it."""
    root = Path(component("commitlint")).resolve().parents[1]
    file, text = CONFIGURATIONS[name]
    with tempfile.TemporaryDirectory(dir=root) as folder:
        config = Path(folder) / file
        config.write_text(text)
        script = Path(folder) / "ask.mjs"
        script.write_text(_SCRIPT)
        done = subprocess.run(
            ["node", str(script)], cwd=folder, input=json.dumps({"file": str(config), "messages": list(messages)}),
            capture_output=True, text=True, check=True,
        )  # fmt: skip
    verdicts: list[list[str]] = json.loads(done.stdout)
    return verdicts


def main() -> None:
    messages = list_messages()
    recorded = {"messages": messages}
    for name in CONFIGURATIONS:
        recorded[name] = list(map(" ".join, ask_commitlint(name, messages)))
    RECORDED.write_text(json.dumps(recorded, ensure_ascii=False, indent=0) + "\n")


if __name__ == "__main__":
    main()
