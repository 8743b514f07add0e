"""What is read of modules in JavaScript and TypeScript without executing them."""

from __future__ import annotations

from smartcommit.setup.other_tools.literals import SPREAD, UNKNOWN, read_export
from tests.support.table import rows


@rows(
    ("text", "value"),
    [
        (
            "module.exports = {extends: ['a',], \"b\": 1, 'c': -2, d: true, e: null,};",
            {"extends": ["a"], "b": 1, "c": -2, "d": True, "e": None},
        ),
        ("#!/usr/bin/env node\n/* { */ 'use strict'; // }\nmodule.exports = {\n  a: [1, 2], // x\n}\n", {"a": [1, 2]}),
        (
            "const list = ['x', `y`]\nconst config: Config = { list, all: [1, 'z'] };\nexport default config",
            {"list": ["x", "y"], "all": [1, "z"]},
        ),
        ("import type { A } from 'b'\nexport default { a: 1 } satisfies A\n", {"a": 1}),
        ("export default { a: 1 } as const;", {"a": 1}),
        ("export default defineConfig({ a: [RuleConfigSeverity.Error] })", {"a": [2]}),
        ("export = ({ 'a': 'it\\'s \\u0041\\n' })", {"a": "it's A\n"}),
        ("module.exports = {a: Infinity}", {"a": float("inf")}),
        ("export const a = ['x'];\nexport { f } from './f'\nexport default { a }", {"a": ["x"]}),
        ("module.paths = []\nmodule.exports = {a: 1}\nexport type B = string", {"a": 1}),
    ],
)  # fmt: skip
def test_literals_are_read(text: str, value: object) -> None:
    assert read_export(text) == value


@rows(
    ("text", "value"),
    [
        ("module.exports = {a: f(1, [2]), b: 1}", {"a": UNKNOWN, "b": 1}),
        ("module.exports = {a: (x) => { return /[}'\"]/.test(x) }, b: 1}", {"a": UNKNOWN, "b": 1}),
        ("module.exports = {a() { return {b: 2} }, b: 1}", {"a": UNKNOWN, "b": 1}),
        ("module.exports = {a: /^(\\w*)(?:\\((.*)\\))?!?: (.*)$/, b: 1}", {"a": UNKNOWN, "b": 1}),
        ("module.exports = {a: [1, x], b: ['a' + 'b', c ? 1 : 2, `${x}`]}", {"a": [1, UNKNOWN], "b": [UNKNOWN] * 3}),
        ("module.exports = {...require('./x'), a: [...y, 1]}", {SPREAD: UNKNOWN, "a": UNKNOWN}),
        ("const base = {a: 1}; module.exports = {...base, b: 2}", {SPREAD: UNKNOWN, "b": 2}),
        ("const a = ['x']; module.exports = {a, b: a.map(f)}", {"a": UNKNOWN, "b": UNKNOWN}),
        ("module.exports = {a: 2.5}", {"a": UNKNOWN}),
        ("module.exports = {[x]: 1, b: 1}", {SPREAD: UNKNOWN, "b": 1}),
        ("module.exports = require('./x')", UNKNOWN),
        ("const a = ['x']; a.push('y'); let b = 1; b = 2; module.exports = {a, b}", {"a": UNKNOWN, "b": UNKNOWN}),
        ("const a = {b: 1}; module.exports = a; a.b = 2", UNKNOWN),
        ("module.exports = {a: 1}\nmodule.exports.b = 2", UNKNOWN),
        ("const a = {b: 1}; f(a); module.exports = a", UNKNOWN),
        ("module.exports = {a: 0x10, b: 10n, c: 1_000, d: 010}", {"a": UNKNOWN, "b": UNKNOWN, "c": 1000, "d": UNKNOWN}),
        ("module['exports'] = {a: 1}", UNKNOWN),
        ("module.exports = {a: 1}.b", UNKNOWN),
        ("const x = 1", UNKNOWN),
        ("module.exports = {a: 'x", UNKNOWN),
        ("", UNKNOWN),
    ],
)
def test_what_is_no_literal_is_unknown_in_its_place(text: str, value: object) -> None:
    assert read_export(text) == value


@rows(
    "part",
    [
        "[",
        "{a:",
        "(",
        "define(",
        "=/[",
        "=/a",
        "/* ",
        "`\\`",
        "'\\'",
        "'",
        "/",
        "...",
        "a.",
        "-",
        "export default ",
        "export ",
        "module ",
    ],
)
def test_any_text_is_read_without_being_nested_too_deep(part: str) -> None:
    read_export("module.exports = " + part * (100_000 // len(part)))
