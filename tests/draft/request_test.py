"""What the author said before: where it is read, and that nothing is that is a secret, too long or switched off."""

from smartcommit import state_files
from smartcommit.config import Settings
from smartcommit.draft.request import make_purpose
from smartcommit.git.repo import Repository
from smartcommit.secrets.redaction import redact
from tests.support.repository import Repo
from tests.support.secrets import PLANTED, letters
from tests.support.table import rows

ATTEMPT = {"title": "Reject empty hosts", "head": "c1", "task": "t01"}


@rows(
    ("attempt", "said", "off", "kept"),
    # The task whose work the executor left upon this commit, and that of a plan in jj, which is given.
    (ATTEMPT, {}, "", {"plan-tasks": "Reject empty hosts"}),
    (ATTEMPT, {"plan-tasks": "keep hosts"}, "", {"plan-tasks": "keep hosts"}),
    ({**ATTEMPT, "head": "c2"}, {}, "", {}),
    ({**ATTEMPT, "head": None}, {}, "", {}),
    ({**ATTEMPT, "title": ["Reject"]}, {}, "", {"plan-tasks": "['Reject']"}),
    ({}, {}, "", {}), ([], {}, "", {}), ("{", {}, "", {}),
    (ATTEMPT, {}, "plan-tasks", {}),
    ({}, {"agent-prompts": "keep hosts"}, "", {"agent-prompts": "keep hosts"}),
    ({}, {"agent-prompts": "keep hosts"}, "agent-prompts", {}),
    ({}, {"wip-commits": "keep hosts"}, "", {"wip-commits": "keep hosts"}),
    ({}, {"wip-commits": "keep hosts"}, "wip-commits", {}),
    # In the order of how likely they are about this change.
    (ATTEMPT, {"agent-prompts": "b b", "wip-commits": "a a"}, "",
     {"wip-commits": "a a", "agent-prompts": "b b", "plan-tasks": "Reject empty hosts"}),
    ({}, {"wip-commits": "keep\x1b[31m\u202ehosts"}, "", {"wip-commits": "keep\\x1b[31m\\u202ehosts"}),
    ({}, {"wip-commits": " "}, "", {}),
    ({}, {"wip-commits": "x " * 60}, "", {}),
    ({**ATTEMPT, "title": f"use ghp_{letters('c', 36)}"}, {"agent-prompts": f"use ghp_{letters('c', 36)}"}, "", {}),
)  # fmt: skip
def test_what_an_author_said(repo: Repo, attempt: object, said: dict[str, str], off: str, kept: dict[str, str]) -> None:
    repository = Repository.find(str(repo.path))
    state_files.save_json(repository.git_dir, state_files.ATTEMPT, attempt)
    policy = [(f"smartcommit.{off.replace('-', '')}", "false")] if off else []
    settings = Settings(git=policy, environment={})
    found = make_purpose(repository, settings, "main", base="c1", said=said).said
    assert list(found.items()) == list(kept.items())


def test_no_planted_secret_is_said(repo: Repo) -> None:
    repository, settings = Repository.find(str(repo.path)), Settings(environment={})
    leaked = []
    for form, secret in PLANTED.values():
        said = {"wip-commits": f"use {form.format(secret)}", "plan-tasks": f"use {secret} here"}
        kept = make_purpose(repository, settings, "main", base=None, said=said).said
        leaked += [text for text in kept.values() if secret in text and redact(text) != text]
    assert leaked == []
