"""What Python programs call: check a message, draft one, plan a split. `import smartcommit` offers these by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from smartcommit.config import Settings, load, make_rules
from smartcommit.draft.embedded.intent import read_unfinished
from smartcommit.draft.engine import answer, find_time_limit
from smartcommit.draft.request import DraftRequest, read_request
from smartcommit.draft.result import Draft
from smartcommit.git.query import make_log_command
from smartcommit.git.repo import Repository
from smartcommit.session import task
from smartcommit.verdict import CheckResult, check_text
from smartcommit.waiting import Deadline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from smartcommit.split.plan import SplitPlan


def check_message(message: str, directory: str = ".") -> CheckResult:
    """Judge `message` as `git commit -m` would record it, by the rules of the project around `directory`.

    `refused` of the result says whether `commit-msg` would reject it, and `violations` why: each has a `code`, a `line`
    and a `column`, both from 0, a `text` and what is `expected`. Raise GitError outside a repository, ConfigError for
    settings that cannot be read.

        >>> smartcommit.check_message("added a cart").refused
        True
    """
    rules = make_rules(load(Repository.find(directory).worktree), finished=True)
    return check_text(message.encode("utf-8", "surrogateescape"), rules)


def draft_message(
    directory: str = ".", *, amend: bool = False, instructions: str = "", settings: Mapping[str, object] | None = None
) -> Draft | None:
    """Draft the message for what is staged around `directory`, or None if nothing is; nothing is changed.

    `text` of the result is the message, with an open summary if the draft is `weak`; `candidates` are summaries to
    choose from. With `amend` it is for `git commit --amend`. `instructions`, which only a model follows, say what it
    should be like. `settings` replace those of the repository, by their names in docs/reference.md, such as `provider`.
    A model that fails is no error: `reason` says why, and the draft is the embedded drafter's. Raise GitError outside a
    repository, ConfigError for settings that cannot be read.

        >>> smartcommit.draft_message(settings={"provider": "embedded"}).text
        'feat: add cart\n'
    """
    repository = Repository.find(directory)
    values = load(repository.worktree, arguments=settings)
    request = read_staged_request(repository, values, amend=amend, instructions=instructions)
    if request is None:
        return None
    return answer(request, deadline=Deadline(find_time_limit(values)), terminal=None)


def plan_split(
    directory: str = ".",
    *,
    staged: bool = False,
    count: int | None = None,
    engine: str = "auto",
    instructions: str = "",
) -> SplitPlan | None:
    """Plan how the changes around `directory` become commits, or None if there are none; nothing is changed.

    `commits` of the result are in their order, each with a `message` and its `units`: the hunks and whole files, whose
    `change.path` is in bytes. With `staged` it is what is staged that is split. `count` is the number of commits, if
    that is to be a certain one; `engine` one of auto, embedded, model. `split.plan_file.print_plan` makes a file of it,
    which `git smart-commit --plan FILE` applies. Raise GitError outside a repository, ConfigError for settings that
    cannot be read, with the engine `model` LLMError or AgentError.

        >>> [commit.subject for commit in smartcommit.plan_split().commits]
        ['feat: add cart', 'docs: add a page on carts']
    """
    # A draft needs none of this.
    from smartcommit.split.flow import make_flow
    from smartcommit.split.source import EngineOptions, Source, SplitOptions
    from smartcommit.split.unwanted import take_screened_snapshot

    repository = Repository.find(directory)
    choice = EngineOptions(engine, count=count, instructions=instructions)
    options = SplitOptions(choice=choice, staged=staged, dry_run=True, quiet=True)
    with take_screened_snapshot(repository, options) as (snapshot, suspects):
        source = Source(snapshot, suspects, options, None, complain=lambda line: None)
        return make_flow(source).plan()


def read_staged_request(
    repository: Repository, settings: Settings, *, amend: bool = False, instructions: str = ""
) -> DraftRequest | None:
    """Read what a draft for the staged changes needs; with `amend` for these and the last commit. None without any."""
    base, subject = repository.head() or repository.empty_tree, ""
    if amend and base != repository.empty_tree:
        output = repository.run(*make_log_command("%P%x00%s", last=1, revisions=[base])).decode("utf-8", "replace")
        parents, subject, *_ = output.split("\0")
        base = next(iter(parents.split()), repository.empty_tree)

    def find_said(paths: Sequence[bytes]) -> Mapping[str, str]:
        return {"wip-commits": read_unfinished(subject), **task.find_said(repository, paths)}

    return read_request(repository, base, None, settings, instructions=instructions, find_said=find_said)
