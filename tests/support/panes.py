"""The review in two panes, driven without a terminal."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, TypeVar

from rich.style import Style
from rich.table import Table
from textual import events
from textual.app import App
from textual.keys import _character_to_key, key_to_character
from textual.pilot import Pilot
from textual.widget import Widget
from textual.widgets import Input

from smartcommit.git.repo import Repository
from smartcommit.split.review.app import ReviewApp
from smartcommit.split.review.panes import HunkTree, Panes, RowTree
from smartcommit.split.review.session import Session
from tests.support.repository import Repo
from tests.support.tty import person

Result = TypeVar("Result")


class Headless(ReviewApp):
    # Seconds: on a slow machine a test looks later than a person would.
    NOTIFICATION_TIMEOUT = 3600

    def suspend(self) -> AbstractContextManager[None]:
        return nullcontext()


class Seen:
    def __init__(self, app: ReviewApp) -> None:
        panes = app.screen_stack[0].query_one(Panes)
        self.listed = listed(panes.commits)
        self.selected = self.listed[panes.commits.cursor_line]
        self.commits = []
        for node in panes.commits.root.children:
            self.commits.append(node.data.line.text.strip())
        self.message = str(panes.message.content)
        self.shown = listed(panes.hunks)
        self.pointed = pointed(app)
        self.told = [note.message for note in app._notifications]
        self.overlay = []
        if app.screen is not app.screen_stack[0]:
            self.overlay = list(map(text_of, app.screen.query("Static, Input")))
        self.agreed = app.return_value
        self.wish = app._session.wish


def text_of(widget: Widget) -> str:
    if isinstance(widget, Input):
        return widget.value
    if isinstance(widget.content, Table):
        cells = [list(column.cells) for column in widget.content.columns]
        return "\n".join(" ".join(map(str, row)) for row in zip(*cells, strict=True))
    return str(widget.content)


def pointed(app: App[bool]) -> str:
    view = app.screen_stack[0].query_one(HunkTree)
    return listed(view)[view.cursor_line]


def listed(tree: RowTree) -> list[str]:
    texts = []
    for line in range(tree.last_line + 1):
        node = tree.get_node_at_line(line)
        assert node is not None
        texts.append(" ".join(tree.render_label(node, Style(), Style()).plain.split()))
    return texts


async def press(pilot: Pilot[bool], *keys: str) -> None:
    """Press `keys`, each once what came of the one before is done.

    `Pilot.press` waits until the processor is idle, many times longer than the keys take.
    """
    for key in keys:
        character = key if len(key) == 1 else key_to_character(key)
        pilot.app.post_message(events.Key(_character_to_key(key) if len(key) == 1 else key, character))
        await settle(pilot)


async def settle(pilot: Pilot[bool]) -> None:
    """Wait until no message is waiting; a message passes from the app to a widget and back through several queues."""
    quiet = 0
    while quiet < 3 and pilot.app.is_running:
        # `Pilot.pause` would paint the screen each time as well.
        await pilot._wait_for_screen()
        pumps = [pilot.app, *pilot.app.screen.walk_children(with_self=True)]
        quiet = 0 if any(pump.message_queue_size for pump in pumps) else quiet + 1


def conduct(
    session: Session,
    repo: Repo,
    act: Callable[[Pilot[bool]], Awaitable[Result]],
    size: tuple[int, int] = (120, 40),
    *,
    can_replan: bool = False,
    said: str = "",
) -> Result:
    async def scenario(app: ReviewApp) -> Result:
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            # The footer is composed once the bindings are known.
            await settle(pilot)
            return await act(pilot)

    repository = Repository.find(str(repo.path))
    with person("") as somebody:
        app = Headless(session, somebody.terminal, repository, can_replan=can_replan, said=said)
        return asyncio.run(scenario(app))


def drive(session: Session, repo: Repo, *keys: str, **given: Any) -> Seen:
    """What is seen after these `keys`; what is `given` goes to `conduct`."""
    (seen,) = watch(session, repo, keys, **given)
    return seen


def watch(session: Session, repo: Repo, *steps: Sequence[str], **given: Any) -> list[Seen]:
    """What is seen after each of these series of keys, in one run: to start the panes takes as long as ten keys."""

    async def press_all(pilot: Pilot[bool]) -> list[Seen]:
        found = []
        for keys in steps:
            # To paint the screen after each key takes a part of the time that nobody needs.
            with pilot.app.batch_update():
                for key in keys:
                    await press(pilot, *(key[1:] if key.startswith("'") else [key]))
            await pilot.pause()
            found.append(Seen(pilot.app))
        return found

    return conduct(session, repo, press_all, **given)
