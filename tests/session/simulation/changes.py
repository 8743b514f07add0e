"""What people and agents do to the lines of a file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random

from tests.session.simulation.lines import Line, Version, find_changed

EQUAL = ("}", "", "    return", "else:")
WORDS = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "größe", "kappa")


class Author:
    """Types lines: `repeated` is the share of those whose text is one of a few."""

    def __init__(self, random: Random, name: str, repeated: float, number: int) -> None:
        self.random, self.name, self.repeated, self.number = random, name, repeated, number

    def type_line(self) -> Line:
        return Line(self.type_text(), {self.name})

    def type_text(self) -> str:
        if self.random.random() < self.repeated:
            return self.random.choice(EQUAL)
        self.number += 1
        indent = " " * (4 * self.random.randrange(3))
        return f"{indent}{self.random.choice(WORDS)} {self.name} {self.number}"

    def type_lines(self, most: int = 4) -> list[Line]:
        return [self.type_line() for _ in range(self.random.randint(1, most))]

    def pick_span(self, version: Version, most: int = 4) -> tuple[int, int]:
        """Return the first line and the one after the last of a few lines; both the same in an empty file."""
        count = len(version.lines)
        if not count:
            return 0, 0
        first = self.random.randrange(count)
        return first, min(count, first + self.random.randint(1, most))

    def insert(self, version: Version) -> Version:
        at = self.random.randint(0, len(version.lines))
        return splice(version, at, at, self.type_lines())

    def delete(self, version: Version) -> Version:
        first, end = self.pick_span(version)
        return splice(version, first, end, [])

    def rewrite(self, version: Version) -> Version:
        first, end = self.pick_span(version)
        return splice(version, first, end, self.type_lines())

    def edit_within(self, version: Version) -> Version:
        first, end = self.pick_span(version, 1)
        if first == end:
            return self.insert(version)
        line = version.lines[first]
        words = line.text.split(" ")
        at = self.random.randrange(len(words))
        words[at] = f"{words[at]}{self.random.choice(WORDS)}"
        edited = line.changed_to(" ".join(words), self.name)
        if line.text in EQUAL:  # nothing of it was another's
            edited = Line(edited.text, {self.name})
        return splice(version, first, end, [edited])

    def move(self, version: Version) -> Version:
        first, end = self.pick_span(version)
        moved = [line.copy_for(self.name) for line in version.lines[first:end]]
        left = splice(version, first, end, [])
        at = self.random.randint(0, len(left.lines))
        return splice(left, at, at, moved)

    def duplicate(self, version: Version) -> Version:
        """Copy a block and paste it somewhere, often right below."""
        first, end = self.pick_span(version)
        pasted = [Line(line.text, {self.name}) for line in version.lines[first:end]]
        at = end if self.random.random() < 0.5 else self.random.randint(0, len(version.lines))
        return splice(version, at, at, pasted)

    def reindent(self, version: Version) -> Version:
        """Indent all lines more or, where all have one, less."""
        written = [line for line in version.lines if line.text.strip()]
        if written and all(line.text.startswith("  ") for line in written):
            return self.change_all(version, lambda text: text.removeprefix("  "))
        return self.change_all(version, lambda text: "  " + text if text.strip() else text)

    def replace_word(self, version: Version) -> Version:
        word, other = self.random.sample(WORDS, 2)
        return self.change_all(version, lambda text: text.replace(word, other))

    def change_all(self, version: Version, change: Callable[[str], str]) -> Version:
        lines = []
        for line in version.lines:
            text = change(line.text)
            lines.append(line if text == line.text else line.changed_to(text, self.name))
        return version.with_lines(lines)

    def edit_ends(self, version: Version) -> Version:
        """Add or remove the end of the last line, or add lines at an end of the file."""
        if version.lines and version.lines[-1].text and self.random.random() < 0.5:
            return replace(version, final=not version.final)
        at = self.random.choice((0, len(version.lines)))
        return splice(version, at, at, self.type_lines(2))


def splice(version: Version, first: int, end: int, lines: Sequence[Line]) -> Version:
    changed = (*version.lines[:first], *lines, *version.lines[end:])
    final = version.final or not changed or not changed[-1].text
    return replace(version, lines=changed, final=final)


@dataclass(frozen=True)
class Change:
    """What somebody made of a file, to be undone: these lines came in the place of those, after `before`."""

    path: str
    before: Line | None
    old: tuple[Line, ...]
    new: tuple[Line, ...]

    @classmethod
    def between(cls, path: str, old: Version, new: Version) -> Change:
        first, old_end, new_end = find_changed(old.lines, new.lines)
        before = old.lines[first - 1] if first else None
        return cls(path, before, old.lines[first:old_end], new.lines[first:new_end])

    def undo(self, version: Version, actor: str) -> Version | None:
        """Return `version` as `actor` undoes the change; None where its lines are not all there, side by side."""
        lines = version.lines
        if self.new:
            if self.new[0] not in lines:
                return None
            first = lines.index(self.new[0])
        elif self.before is None:
            first = 0
        elif self.before in lines:
            first = lines.index(self.before) + 1
        else:
            return None
        end = first + len(self.new)
        if lines[first:end] != self.new:
            return None
        others = set(lines[:first] + lines[end:])
        old = [line.copy_for(actor) if line in others else line for line in self.old]
        return splice(version, first, end, old)
