"""A line without content, of any kind of file, decides nothing about whose a change is."""

from smartcommit.session.weave import Content, Weave, compose, list_lines

# Blanks, brackets and other marks; and texts that HEAD has three times.
FILLERS = (
    "", "    ", "}", "\t}", "});", "{", "]", "---", "# ---", "//", " *", " */", '"""', "|---|---|", "│ └──", "）", "…",
    "<>", "end", "    return None", "</div>", "fi", "else:", "- name: x", "größe",
)  # fmt: skip
HEAD = "one|two|F|three|four|F|five|F|six"
# What the person and the agent make of HEAD in turn, the filler being F, and the content that the agent's commit has.
CASES = {
    "a new filler near by": (
        ["P one|two|F|three|F|four|F|five|F|six", "A one|two|F|THREE|F|four|F|five|F|six"],
        "one two THREE four five six",
    ),
    "a new filler far away": (
        ["P one|two|F|three|four|F|five|F|six|F", "A one|TWO|F|three|four|F|five|F|six|F"],
        "one TWO three four five six",
    ),
    "a filler that was removed near by": (
        ["P one|two|F|three|four|five|F|six", "A one|two|F|three|new|F|newer|four|five|F|six"],
        "one two three new newer four five six",
    ),
    "a block in the place of a filler that was removed": (
        ["P one|two|F|three|four|five|F|six", "A one|two|F|three|four|new|F|newer|five|F|six"],
        "one two three four new newer five six",
    ),
    "a new filler within what is replaced": (
        ["P one|two|F|three|F|four|F|five|F|six", "A one|two|F|THREE|FOUR|F|five|F|six"],
        "one two THREE FOUR five six",
    ),
    "a block between new fillers": (
        ["P one|two|F|F|F|three|four|F|five|F|six", "A one|two|F|F|new|F|F|three|four|F|five|F|six"],
        "one two new three four five six",
    ),
    "a filler that leaves a new block": (
        ["A one|two|F|new|F|newer|F|three|four|F|five|F|six", "P one|two|F|new|newer|F|three|four|F|five|F|six"],
        "one two new newer three four five six",
    ),
    "a filler that comes into a new block": (
        ["A one|two|F|new|newer|F|three|four|F|five|F|six", "P one|two|F|new|F|newer|F|three|four|F|five|F|six"],
        "one two new newer three four five six",
    ),
    "a new filler that was removed again": (
        ["P F|" + HEAD, "P " + HEAD, "A one|two|F|three|new|F|four|F|five|F|six"], "one two three new four five six",
    ),
    "a filler that another's block lost to one of ours": (
        ["P one|two|F|own|F|three|four|F|five|F|six", "A one|two|F|own|three|four|F|five|F|new|F|six"],
        "one two three four five new six",
    ),
    "a function with fillers beside another's": (
        ["P one|two|F|own|F|three|four|F|five|F|six", "A one|two|F|own|F|three|new|F|newer|F|four|F|five|F|six"],
        "one two three new newer four five six",
    ),
    "a block pasted above another's": (
        ["P one|two|F|three|four|F|five|F|own|F|six", "A one|two|F|new|F|three|four|F|five|F|own|F|six"],
        "one two new three four five six",
    ),
}  # fmt: skip


def make_lines(text: str, filler: str) -> list[bytes]:
    lines = [filler if word == "F" else word for word in text.split("|")]
    return list_lines(Content("100644", "".join(f"{line}\n" for line in lines).encode()))


def test_lines_without_content_decide_nothing() -> None:
    failed = []
    for case, (steps, expected) in CASES.items():
        for filler in FILLERS:
            weave = Weave(make_lines(HEAD, filler))
            for step in steps:
                owner, _, text = step.partition(" ")
                weave.step(make_lines(text, filler), "agent" if owner == "A" else "")
            weave.step(make_lines(text, filler), "")
            made = compose(weave.entries, weave.select("agent"))[1:]
            found = [line.decode().strip() for line in made if line.decode().strip() != filler.strip()]
            if found != expected.split():
                failed.append(f"{case}, {filler!r}: {' '.join(found)}")
    assert failed == []


def test_lines_of_a_block_that_head_has_twice_have_content() -> None:
    weave = Weave(make_lines("one|two|F|one|two|F|F|three", "else:"))
    assert weave.find_common() == {b"else:"}
