"""The formats of `smartcommit check` that programs read: JSON, and what CI systems show beside a change.

Sources: GitHub, "Workflow commands for GitHub Actions"; GitLab, "Code quality report format"; the JUnit schema that
Jenkins and GitLab accept. No system has a place for a message that is in no file, so a commit's name stands where these
formats have a path.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from xml.etree import ElementTree

from smartcommit.message.characters import printable
from smartcommit.message.report import format_text, to_object
from smartcommit.message.rules import ERROR, WARNING, Violation
from smartcommit.verdict import CheckResult

# The version of the JSON output; it increases when a field is removed or changes its meaning.
VERSION = 1
Verdicts = Sequence[tuple[str, CheckResult]]
# GitLab's names of our levels.
_SEVERITIES = {ERROR: "major", WARNING: "minor"}
# XML 1.0 has no way to write these, and `printable` keeps them.
_NOT_IN_XML = {0xFFFE: "\\ufffe", 0xFFFF: "\\uffff"}


def format_json(verdicts: Verdicts) -> str:
    """Return all that is known about each message."""
    messages = []
    for name, verdict in verdicts:
        decision = "good"
        if verdict.exempt:
            decision = "exempt"
        elif verdict.refused:
            decision = "refused"
        violations = list(map(to_object, verdict.violations))
        messages.append({"name": name, "verdict": decision, "exempt": verdict.exempt, "violations": violations})
    return json.dumps({"version": VERSION, "messages": messages}, indent=2)


def format_github(verdicts: Verdicts) -> str:
    """Return a workflow command for each message with violations: GitHub shows only ten per step."""
    lines = []
    for name, verdict in verdicts:
        if not verdict.violations:
            continue
        command = "error" if verdict.refused else "warning"
        title = _escape_data(printable(f"{name}: {_list_codes(verdict.violations)}"))
        title = title.replace(":", "%3A").replace(",", "%2C")
        report = _escape_data(format_text(name, verdict.lines, verdict.violations).rstrip("\n"))
        lines.append(f"::{command} title={title}::{report}")
    return "\n".join(lines)


def _list_codes(violations: Sequence[Violation]) -> str:
    """Return the codes of violations, each once."""
    return ", ".join(dict.fromkeys(violation.code for violation in violations))


def _escape_data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def format_gitlab(verdicts: Verdicts) -> str:
    """Return a code quality report, a JSON list of violations."""
    issues = []
    for name, verdict in verdicts:
        for number, violation in enumerate(verdict.violations):
            issue = {
                "description": _describe(violation),
                "check_name": violation.code,
                "fingerprint": _make_fingerprint(name, number, violation),
                "severity": _SEVERITIES[violation.level],
                "location": {"path": name, "lines": {"begin": violation.number}},
            }
            issues.append(issue)
    return json.dumps(issues, indent=2)


def format_junit(verdicts: Verdicts) -> str:
    """Return a test suite in XML in which each message is a test."""
    failures = skipped = 0
    for _, verdict in verdicts:
        failures += verdict.refused
        skipped += verdict.exempt is not None
    counts = {"tests": str(len(verdicts)), "failures": str(failures), "errors": "0", "skipped": str(skipped)}
    root = ElementTree.Element("testsuites", {"name": "smartcommit", **counts})
    suite = ElementTree.SubElement(root, "testsuite", {"name": "commit messages", **counts})
    for name, verdict in verdicts:
        subject = verdict.text.partition(b"\n")[0].decode("utf-8", "replace")[:100]
        case = ElementTree.SubElement(suite, "testcase", {"classname": _to_xml(name), "name": _to_xml(subject)})
        report = _to_xml(format_text(name, verdict.lines, verdict.violations), keep="\n")
        if verdict.exempt:
            ElementTree.SubElement(case, "skipped", {"message": verdict.exempt})
        elif verdict.refused:
            codes = _list_codes([violation for violation in verdict.violations if violation.level == ERROR])
            failure = ElementTree.SubElement(case, "failure", {"type": "violation", "message": codes})
            failure.text = report
        elif report:
            ElementTree.SubElement(case, "system-out").text = report
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode")


def _to_xml(text: str, *, keep: str = "") -> str:
    return printable(text, keep=keep).translate(_NOT_IN_XML)


def _describe(violation: Violation) -> str:
    """Return in one line what is wrong, what was expected, and the corrected line."""
    text = violation.text
    if violation.expected:
        text += f"; expected {violation.expected}"
    label = "corrected" if violation.sure else "did you mean"
    for line in filter(None, violation.replacement or ()):
        text += f"; {label}: {line}"
    return printable(text[:1000])


def _make_fingerprint(name: str, number: int, violation: Violation) -> str:
    """Return a name for a violation that no other in the same log has, and that is the same for the same message."""
    parts = (name, str(number), violation.code, str(violation.number), str(violation.column + 1))
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()


FORMATS: Mapping[str, Callable[[Verdicts], str]] = {
    "json": format_json,
    "github": format_github,
    "gitlab": format_gitlab,
    "junit": format_junit,
}
