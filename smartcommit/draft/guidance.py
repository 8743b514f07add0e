"""What the user and the project ask of every message: instructions, a style and a language."""

from __future__ import annotations

import os

from smartcommit.config import Settings
from smartcommit.errors import ConfigError, GitError
from smartcommit.git.repo import Repository

# Maximum characters of the instructions.
INSTRUCTION_CHARACTERS = 2000
# The sign before the name of a tracked file that contains the instructions.
_FILE = "@"
NO_BODY, SHORT_BODY, PAST_TENSE = "no-body", "short-body", "past-tense"
# What a model is told for each style.
STYLES = {
    NO_BODY: "Write the header alone, without a description.",
    SHORT_BODY: "Write at most two short lines of description.",
    "long-body": "Write a description of several lines that says why.",
    "bullets": "Write the description as a list of lines that begin with '- '.",
    PAST_TENSE: "Write the summary in the past tense, as in 'added a test'.",
}
# Points in the description of a built-in draft with SHORT_BODY.
SHORT = 2


def make_guidance(repository: Repository, settings: Settings) -> str:
    """Return what to tell a model besides the user's words about this one change.

    Raise ConfigError if the instructions name a file that git does not track, or one that is no text.
    """
    parts = [read_instructions(repository, settings)]
    parts += map(STYLES.__getitem__, settings.words("style"))
    return "\n".join(filter(None, parts))


def read_instructions(repository: Repository, settings: Settings) -> str:
    """Return the standing instructions from the setting or the file it names, at most INSTRUCTION_CHARACTERS."""
    text = settings.text("instructions") or ""
    if not text.startswith(_FILE):
        return text[:INSTRUCTION_CHARACTERS]
    name = text.removeprefix(_FILE)
    try:
        content = repository.run("cat-file", "blob", os.fsencode(f":{name}"))
        return content.decode()[:INSTRUCTION_CHARACTERS].strip()
    except (GitError, ValueError):
        raise ConfigError(
            f"smartcommit.instructions names '{name}', which is no text file that git tracks",
            hint="give the path from the top level of the working tree",
        ) from None


def find_unmet(settings: Settings) -> list[str]:
    """Return a remark about each wish that only a model can fulfill."""
    found = []
    language = settings.text("language") or "English"
    if not language.lower().startswith("en"):
        found.append(f"written in English: a draft in {language} requires a model")
    if PAST_TENSE in settings.words("style"):
        found.append("written in the imperative: a draft in the past tense requires a model")
    return found
