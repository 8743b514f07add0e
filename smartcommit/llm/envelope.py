"""Removes what surrounds the text of a model's answer: thoughts, channels, and the tokens of chat templates.

Servers that know a model's template do this themselves; others pass these on as text. The forms are those of Qwen,
DeepSeek, Llama, Mistral, Gemma, Phi, Kimi, and gpt-oss with its channels (the harmony format).
"""

from __future__ import annotations

from smartcommit.patterns import compile_on_use

_THOUGHTS = r"(?:think|thinking|thoughts?|reasoning|reflection|analysis|scratchpad|seed:think)"
# `<think>`, `[THINK]`, `<|begin_of_thought|>` and `\u25c1think\u25b7`. In backticks, it is part of the text.
_TAG = compile_on_use(
    rf"(?i)(?<!`)(?:[<\u25c1](?P<slash>/?){_THOUGHTS}(?:\s[^<>]{{0,80}})?[>\u25b7]|(?-i:\[(?P<bracket>/?)THINK\])"
    r"|<\|(?P<word>begin|end)_of_thought\|>)"
)
_CHANNEL = compile_on_use(
    r"<\|channel\|>\s*(?P<name>\w{1,20})(?P<to>(?:\s*<\|constrain\|>|[^<]){0,120})(?:<\|message\|>)?"
)
_RECIPIENT = compile_on_use(r"to=(?:functions\.)?([\w-]{1,64})")
# Channels whose tokens a server removed: `analysis`, thoughts, `assistantfinal` and the answer.
_BARE_CHANNELS = compile_on_use(r"(?s)\s*analysis(?=[A-Z\"']).*assistant\s*final")
# Tokens that end a turn, and those that begin one, with the role that follows them.
_END = compile_on_use(
    r"<\|(?:eot_id|eom_id|im_end|end|endoftext|end_of_text|return|call|end_of_turn|END_OF_TURN_TOKEN)\|>|</s>|<eos>"
    r"|<end_of_turn>|<\uff5cend\u2581of\u2581sentence\uff5c>"
)
_BEGIN = compile_on_use(
    r"(?:<\|(?:im_start|start|start_header_id|start_of_role|assistant|START_OF_TURN_TOKEN)\|>|<start_of_turn>"
    r"|<\uff5cAssistant\uff5c>)(?:\s{0,2}(?:assistant|model|system)\b)?(?:<\|end_(?:header_id|of_role)\|>)?"
)
# Any other token of a template.
_TOKEN = compile_on_use(
    r"<\|[\w-]{1,40}\|>|<\uff5c[\w\u2581]{1,40}\uff5c>|\uff5cDSML\uff5c|</?co(?:: ?[\d,]{1,20})?>|</?s>|</?bos>"
    r"|\[/?(?:INST|TOOL_CALLS|ASSISTANT)\]"
)


def open_envelope(text: str) -> str:
    """Return the text of an answer without the model's thoughts and the tokens of its template.

    Tags of thoughts may be nested. Text before a closing tag that was never opened, or after an opening tag that is
    never closed, is a thought as well. If there are channels, the answer is the last one if it is named `final`; a call
    in it becomes `<function=NAME>ARGUMENTS</function>`.
    """
    bare = _BARE_CHANNELS.match(text)
    if bare is not None:
        text = text[bare.end() :]
    if not any(item in text for item in "<[\u25c1"):
        return text.strip()
    return _drop_tokens(_without_thoughts(_final_channel(text))).strip()


def _final_channel(text: str) -> str:
    """Return the text of the final channel, a call, or nothing if there are only thoughts; `text` if it has none."""
    channels = list(_CHANNEL.finditer(text))
    if not channels:
        return text
    last = channels[-1]
    called = _RECIPIENT.search(last["to"]) or _RECIPIENT.search(text[max(0, last.start() - 80) : last.start()])
    said = text[last.end() :]
    if called is not None and last["name"] != "analysis":
        return f"<function={called[1]}>{_END.split(said)[0]}</function>"
    return said if last["name"] == "final" else ""


def _without_thoughts(text: str) -> str:
    kept: list[str] = []
    depth = position = 0
    for tag in _TAG.finditer(text):
        if not (tag["slash"] or tag["bracket"] or tag["word"] == "end"):
            if depth == 0:
                kept.append(text[position : tag.start()])
            depth += 1
        elif depth == 0:
            kept.clear()
        else:
            depth -= 1
        position = tag.end()
    if depth == 0:
        kept.append(text[position:])
    return "".join(kept)


def _drop_tokens(text: str) -> str:
    """Return the first turn in `text` that is not empty, without tokens and without the question before it."""
    question, _, answer = text.rpartition("[/INST]")
    if not answer.strip():
        answer = question
    for turn in _END.split(_BEGIN.sub("", answer)):
        said = _TOKEN.sub("", turn.replace("<0x0A>", "\n"))
        if said.strip():
            return said
    return ""
