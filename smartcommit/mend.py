"""Mending what is mechanical in a message file, and nothing else."""

from __future__ import annotations

from collections.abc import Callable

from smartcommit.check import Verdict

# Each pass mends one thing a line; a message that needs more passes than this is not mended further.
_PASSES = 20


def fix_message(data: bytes, judge: Callable[[bytes], Verdict], encoding: str | None) -> tuple[bytes, Verdict]:
    """The bytes of a message file with every sure correction made, and the verdict on them.

    Lines that are not corrected keep every byte, and corrected ones their line end.
    """
    verdict = judge(data)
    for _ in range(_PASSES):
        mended = _apply(data, verdict, encoding or "utf-8")
        if mended == data:
            break
        data, verdict = mended, judge(mended)
    return data, verdict


def _apply(data: bytes, verdict: Verdict, encoding: str) -> bytes:
    lines = data.split(b"\n")
    done: set[int] = set()
    # From the end, so that an inserted line moves nothing that is still to be mended.
    for one in sorted(verdict.placed, key=lambda placed: placed.line, reverse=True):
        replacement = one.violation.replacement
        if replacement is None or not one.violation.sure or one.line in done or one.line > len(lines):
            continue
        done.add(one.line)
        ending = b"\r" if lines[one.line - 1].endswith(b"\r") else b""
        lines[one.line - 1 : one.line] = [text.encode(encoding, "surrogateescape") + ending for text in replacement]
    return b"\n".join(lines)
