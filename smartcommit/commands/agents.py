"""`smartcommit agents`: hooks and a skill for coding agents."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import click

from smartcommit.commands.subcommands import refuse_on_windows
from smartcommit.errors import GitError, SmartcommitError
from smartcommit.git.repo import Repository
from smartcommit.harness import install as installing
from smartcommit.harness.install import InstallPlace
from smartcommit.harness.products import PRODUCTS
from smartcommit.message.characters import printable
from smartcommit.session import findings
from smartcommit.session.ledger import Ledger

_NAMES = click.argument("names", nargs=-1, type=click.Choice(list(PRODUCTS)), metavar="[AGENT]...")
_PROJECT = click.option("--project", "scope", flag_value="project", help="In this working tree (default).")
_USER = click.option("--user", "scope", flag_value="user", help="For all your repositories.")


@click.group()
def command() -> None:
    """Install hooks and a skill for coding agents, so that they commit their own lines and nothing else.

    AGENT is claude, codex, gemini, copilot, cursor, qwen or opencode.
    """
    refuse_on_windows("'smartcommit agents'")


@command.command()
@_NAMES
@_PROJECT
@_USER
def install(names: Sequence[str], scope: str | None) -> None:
    """Install hooks and a skill for AGENT, or for each that is found.

    What is in the settings already stays as it is, and 'smartcommit agents uninstall' restores every byte.
    """
    place = _find_place(scope)
    products = [PRODUCTS[name] for name in names]
    if not names:
        for product in PRODUCTS.values():
            if sign := installing.find_sign(product, place):
                click.echo(printable(f"found {product.title}: {sign}"))
                products.append(product)
    if not products:
        raise SmartcommitError("no coding agent was found", hint=f"name one: {', '.join(PRODUCTS)}")
    for product in products:
        changed = installing.install(product, place)
        click.echo(printable(f"{product.title}: {'installed' if changed else 'nothing to do, it is installed'}"))
        for path in changed:
            click.echo(printable(f"  {path}"))
        if product.note:
            click.echo(printable(f"  {product.note}"))
    click.echo(printable(f"undo: smartcommit agents uninstall{'' if place.in_project else ' --user'}"))


@command.command()
@_NAMES
@_PROJECT
@_USER
def uninstall(names: Sequence[str], scope: str | None) -> None:
    """Undo 'smartcommit agents install' for AGENT, or for all.

    What you have changed in the same files since then stays.
    """
    place = _find_place(scope)
    messages = []
    for product in [PRODUCTS[name] for name in names] or list(PRODUCTS.values()):
        messages += installing.uninstall(product, place)
    for line in messages or ["nothing to do: nothing is installed here; see 'smartcommit agents status'"]:
        click.echo(printable(line))


@command.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def status(as_json: bool) -> None:
    """Show what is installed for agents, and what they went around."""
    places = [installing.find_user_place()]
    open_findings: list[findings.Finding] = []
    with suppress(GitError):  # outside a repository there is only what holds for the user
        repository = Repository.find()
        places.insert(0, installing.find_project_place(repository))
        open_findings = findings.list_open(repository)
    agents: list[dict[str, Any]] = []
    for product in PRODUCTS.values():
        files = []
        for place in places:
            scope = "project" if place.in_project else "user"
            for target in installing.list_targets(product, place):
                row = {"scope": scope, "path": target.path, "kind": target.kind, "state": target.find_state()}
                files.append(row)
        sign = installing.find_sign(product, places[0])
        agents.append(
            {"name": product.name, "title": product.title, "sign": sign, "note": product.note, "files": files}
        )
    if as_json:
        listed = [finding.as_dict() for finding in open_findings]
        click.echo(json.dumps({"agents": agents, "findings": listed}, indent=2))
        return
    for agent in agents:
        click.echo(printable(f"{agent['title']}: {agent['sign'] or 'not found'}"))
        installed = [file for file in agent["files"] if file["state"] != installing.ABSENT]
        for file in installed:
            click.echo(printable(f"  {file['state']}, {file['scope']}: {file['path']}"))
        if installed and agent["note"]:
            click.echo(printable(f"  {agent['note']}"))
    for finding in open_findings:
        click.echo(printable(f"{time.strftime('%Y-%m-%d %H:%M', time.localtime(finding.time))}: {finding.text}"))
        click.echo(printable(f"  next: {finding.next}"))


@command.command()
@click.argument("number", type=int)
def restore(number: int) -> None:
    """Bring back lines that a command lost. 'status' shows its NUMBER.

    What has changed in the file since then stays.
    """
    repository = Repository.find()
    path = findings.restore(repository, number)
    # These lines are not what the agent's command has made, should it be running this.
    with Ledger(repository) as ledger:
        ledger.look(os.fsencode(path))
    click.echo(printable(f"restored in '{path}'"))


def _find_place(scope: str | None) -> InstallPlace:
    if scope == "user":
        return installing.find_user_place()
    try:
        return installing.find_project_place(Repository.find())
    except GitError as error:
        if scope == "project":
            raise
        raise SmartcommitError(str(error), hint="go to a repository, or use --user") from None
