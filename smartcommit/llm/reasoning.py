"""Taking a model's thoughts out of what it says."""

from __future__ import annotations

import re

_TAG = re.compile(r"<(/?)(?:think|thinking|thought|reasoning|reflection|analysis)(?:\s[^<>]{0,80})?>", re.IGNORECASE)
# The channels of the harmony format: only the text of the last one is meant to be read.
_CHANNEL = re.compile(r"<\|channel\|>\s*(\w{1,20})[^<]{0,80}(?:<\|message\|>)?")
_MARK = re.compile(r"<\|[\w-]{1,30}\|>")


def without_reasoning(text: str) -> str:
    """`text` without thoughts: paired, nested, closed without being opened (all before is a thought) or never closed
    (all behind is).
    """
    if "<" not in text:
        return text.strip()
    return _without_tags(_final_channel(text)).strip()


def _final_channel(text: str) -> str:
    channels = list(_CHANNEL.finditer(text))
    if not channels:
        return text
    last = channels[-1]
    return _MARK.sub("", text[last.end() :]) if last[1] == "final" else ""


def _without_tags(text: str) -> str:
    kept: list[str] = []
    depth = position = 0
    for tag in _TAG.finditer(text):
        if tag[1] and depth == 0:
            kept.clear()
        elif depth == 0:
            kept.append(text[position : tag.start()])
        depth = max(0, depth - 1) if tag[1] else depth + 1
        position = tag.end()
    if depth == 0:
        kept.append(text[position:])
    return "".join(kept)
