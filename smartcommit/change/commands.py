"""Edits of command lines and of instructions of a Dockerfile: programs, what they are passed, and packages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from smartcommit.change.edits import Edit, Edits
from smartcommit.change.pairing import count_common_ends
from smartcommit.patterns import compile_on_use, list_words

_WORD = compile_on_use(r"(?:[^\s\"']|\"[^\"]*\"|'[^']*')+")
# What precedes a command on its line: the dash and the key of YAML, an instruction, a sign of make.
_START = compile_on_use(r"\s*(?:-\s+)?(?:(?:run|command)\s*:\s*|RUN\s+|CMD\s+|ENTRYPOINT\s+|[@-]+(?=\w))?")
# What stands before a program: others that run it, and variables.
_BEFORE = compile_on_use(
    r"(?:(?:sudo|env|exec|time|npx|pnpx|bunx|uvx|nice|doas|command|if|!|\$|\w+=\S*)\s+)*"
    r"(?:(?:pnpm|yarn|poetry|uv|bundle|pdm|hatch|pipenv|rye|mise)\s+(?:exec|run|dlx|x)\s+(?=\w)|(?:python3?|\$\(\w+\))\s+-m\s+)?"
)
# A program, with the word that says what it does.
_PROGRAM = compile_on_use(r"[a-z]+ [a-z][a-z:-]{1,11}(?=\s|\Z)|[\w./][\w./@+-]*")
INSTALLING = compile_on_use(
    r"\b(?:apt-get|apt|apk|yum|dnf|brew|pip3?|npm|pacman|gem|cargo|pnpm|yarn|microdnf|zypper|go|composer|uv|conda)\b.*"
    r"\s(?:install|add|-S|require)\b"
)
# Instructions of a Dockerfile that run no program, with what follows them: variables, paths, or a value.
_INSTRUCTION = compile_on_use(r"(ADD|ARG|COPY|ENV|EXPOSE|LABEL|MAINTAINER|STOPSIGNAL|USER|VOLUME|WORKDIR)\s+(.*)\Z")
_ASSIGNING = {"ARG", "ENV", "LABEL"}
_COPYING = {"ADD", "COPY"}
_VARIABLE = compile_on_use(r"([\w.-]+)(?:=|\s+)([\"']?)([^\s=\"']+)\2\Z")
# What another command follows; the braces of a template do not.
_ENDS_COMMAND = compile_on_use(r"(?:&&|\|\|?|;|(?<!\{)\{|\$\()\Z")
_QUOTED = compile_on_use(r"\"(\$\{?\w+\}?)[^\"]*\"")
_SEVERAL = {"&&", "||", "|", ";"}
# What a shell does itself, of which one takes no other's place.
_BUILTINS = list_words("cd echo eval exec export local mapfile printf read readonly set source .")
_LONGEST = 40


def read_words(text: str) -> list[str]:
    return _WORD.findall(_START.sub("", text, count=1))


def compare_images(old: str, new: str) -> Edits:
    """Return that one image took the place of another; a version of the same is said as a bump."""
    (name, tag), (other, new_tag) = _split_image(old), _split_image(new)
    # `builder` may be a stage.
    if name == other or not (new_tag or "/" in other):
        return []
    if name.rpartition("/")[0] == other.rpartition("/")[0]:
        name, other = name.rpartition("/")[2], other.rpartition("/")[2]
    return [Edit("program", name + tag, other + new_tag)] if tag != new_tag else [Edit("program", name, other)]


def _split_image(image: str) -> tuple[str, str]:
    """Return the name of an image, and its tag with the colon, without its digest."""
    bare = image.strip("\"'").partition("@")[0]
    name, colon, tag = bare.rpartition(":")
    # `localhost:5000/app` has a port, and `app:${TAG:-latest}` a variable.
    has_tag = bool(colon) and "$" not in name and set("/{}$").isdisjoint(tag)
    return (name, colon + tag) if has_tag else (bare, "")


def find_quoted(old: str, new: str) -> str:
    """Return the variable that a line quotes from now on, if nothing else is different."""
    quoted = _QUOTED.findall(new)
    if len(quoted) == 1 and not _QUOTED.search(old) and old.replace('"', "") == new.replace('"', ""):
        return str(quoted[0])
    return ""


def name_program(words: Sequence[str]) -> str:
    """Return what a command runs, as a sentence names it: `cargo test`, or `nx test` of `pnpm exec nx test -t`."""
    match = _PROGRAM.match(_BEFORE.sub("", " ".join(words), count=1))
    return match[0] if match else ""


def compare_instructions(old: str, new: str) -> Edits | None:
    """Return the edit between two instructions of a Dockerfile, if it is one; None if one of them is a command."""
    before, after = _INSTRUCTION.match(old.strip()), _INSTRUCTION.match(new.strip())
    if before is None or after is None:
        return None
    name = before[1]
    if after[1] != name:
        return []
    if name in _ASSIGNING:
        variable, value = _VARIABLE.match(before[2]), _VARIABLE.match(after[2])
        if variable is None or value is None or variable[1] != value[1]:
            return []
        return [Edit("value", variable[3], value[3], variable[1])]
    if name not in _COPYING:
        return [Edit("value", before[2], after[2], name)] if len(after[2]) <= _LONGEST else []
    words, others = before[2].split(), after[2].split()
    start, end = count_common_ends(words, others)
    gone, come = words[start : len(words) - end], others[start : len(others) - end]
    if not end or max(len(gone), len(come)) > 1:
        return []
    is_flag = (come or gone)[0].startswith("--")
    return [Edit("flag" if is_flag else "copied", "".join(gone), "".join(come), name if is_flag else "")]


def compare_commands(old: str, new: str) -> Iterator[Edit]:
    """Yield the edit between two command lines, if it is one; its holder is the program."""
    before, after = read_words(old), read_words(new)
    start, end = count_common_ends(before, after)
    gone, come = before[start : len(before) - end], after[start : len(after) - end]
    text, text_gone = " ".join(come), " ".join(gone)
    command = before[:start]
    for place in range(len(command) - 1, -1, -1):
        word = command[place]
        if word in ("then", "do") or _ENDS_COMMAND.search(word):
            command = command[place + 1 :]
            break
    whole = name_program(before), name_program(after)
    is_one = not _SEVERAL & {*before, *after} and not any("=" in words[0] for words in (before, after) if words)
    if not start and all(whole) and whole[0] != whole[1] and is_one and _BUILTINS.isdisjoint((*before[:1], *after[:1])):
        yield Edit("program", *whole)
        return
    if max(len(text), len(text_gone)) > _LONGEST or {"&&", "||", "|"} & {*gone, *come} or not (gone or come):
        return
    program = name_program(command or after[:1])
    names = name_program([*command, *gone]), name_program([*command, *come])
    is_other = gone and gone[0] in names[0].split()[:2]
    is_package = all(word[:1].isalnum() or word[:1] == "@" for word in (*gone, *come))
    if before[:1] == after[:1] == ["alias"]:
        alias, other = text_gone.partition("=")[0], text.partition("=")[0]
        is_same = text_gone.partition("=")[2] == text.partition("=")[2]
        if start == 1 and alias != other:
            sides = [(alias, other)] if is_same else [(alias, ""), ("", other)]
            for side in sides:
                yield Edit("alias", *side)
    elif command and is_package and INSTALLING.search(" ".join((*command, *come))):
        name, sign, version = text.partition("==")
        if sign and name == text_gone:
            yield Edit("pinned", text_gone, version, name)
        elif text_gone.partition("==")[::2] == (text, text_gone.removeprefix(f"{text}==")):
            yield Edit("unpinned", text_gone, text, text)
        else:
            yield Edit("package", text_gone, text, program)
    elif gone and come and is_other and all(names) and names[0] != names[1]:
        yield Edit("program", *names)
    elif program in _BUILTINS and not (come or gone)[0].startswith("-"):
        return  # a text or a variable is no argument
    elif command and program and (not gone or not come or len(gone) == len(come) == 1 or come[0].startswith("-")):
        if gone and come and command[-1].startswith("-") and not come[0].startswith("-"):
            text, text_gone = f"{command[-1]} {text}", f"{command[-1]} {text_gone}"
        yield Edit("flag", text_gone, text, program)
