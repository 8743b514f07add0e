"""Both dialects against real servers with a real, tiny model: it says little, but what it says is the API's own."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from pydantic import BaseModel, Field

from smartcommit.agent.loop import agentic_loop
from smartcommit.agent.tool import spec_of, tool
from smartcommit.config import Settings
from smartcommit.draft.engine import answer
from smartcommit.draft.request import read_request
from smartcommit.errors import LLMError, LLMStatusError
from smartcommit.git.repo import Repository
from smartcommit.llm.api import ApiConfig
from smartcommit.llm.client import LLMClient
from smartcommit.waiting import Deadline
from tests.support import real_models
from tests.support.repository import Repo

pytestmark = pytest.mark.components

HELLO = [{"role": "system", "content": "You are brief."}, {"role": "user", "content": "Which animal has stripes?"}]
# One thread of a busy machine.
PATIENCE = 300


class AnimalArgs(BaseModel):
    animal: str = Field(max_length=20)
    legs: int = Field(0, ge=0, le=8)


@tool(AnimalArgs)
def name_animal(args: AnimalArgs, **_: object) -> tuple[str, int]:
    """Name the animal."""
    return args.animal, args.legs


@pytest.fixture(scope="module", params=["openai", "ollama"])
def config(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiConfig]:
    if request.param == "openai":
        with real_models.llama() as found:
            yield found
    else:
        with real_models.ollama(tmp_path_factory.mktemp("ollama")) as found:
            yield found


def test_a_stream_is_read_whole_with_its_usage(config: ApiConfig) -> None:
    client = LLMClient(replace(config, output=24))
    data = client.chat(HELLO, deadline=Deadline(PATIENCE))
    assert client._extract_text_content(data)
    assert client.usage.prompt > 10
    assert 0 < client.usage.output <= 24


def test_the_json_of_a_schema_is_an_argument_list(config: ApiConfig) -> None:
    client = LLMClient(config)
    call, data = client.call_with_tool(HELLO, name_animal, deadline=Deadline(PATIENCE))
    assert isinstance(AnimalArgs.model_validate(call.arguments).animal, str)
    # The conversation goes on with what the server said, in its own form.
    messages = [*HELLO, client._format_assistant_tool_call(data), client._format_tool_result(call, "noted")]
    assert client.chat(messages, [spec_of(name_animal)], deadline=Deadline(PATIENCE))


def test_the_loop_comes_to_an_end(config: ApiConfig) -> None:
    client = LLMClient(replace(config, output=60))
    messages = list(HELLO)
    animal, legs = agentic_loop(client, messages, [], name_animal, deadline=Deadline(PATIENCE), turns=3)
    assert isinstance(animal, str)
    assert 0 <= legs <= 8


def test_a_draft_passes_whoever_made_it(config: ApiConfig, repo: Repo) -> None:
    repo.stage({"zebra.py": "def stripes():\n    return 7\n"})
    repository = Repository.find(str(repo.path))
    settings = Settings(
        environment={"SMARTCOMMIT_PROVIDER": config.provider, "SMARTCOMMIT_MODEL": config.model,
                     "SMARTCOMMIT_API_BASE": config.base, "SMARTCOMMIT_CONTEXT": "4096"},
    )  # fmt: skip
    task = read_request(repository, repository.empty_tree, None, settings)
    assert task is not None
    clients: list[LLMClient] = []

    def client(config: ApiConfig) -> LLMClient:
        clients.append(LLMClient(replace(config, output=real_models.OUTPUT)))
        return clients[0]

    judged: list[str] = []
    made = answer(
        task, deadline=Deadline(PATIENCE), terminal=None, passes=lambda text: not judged.append(text),
        client=client,
    )  # fmt: skip
    assert made.text in judged
    assert clients[0].usage.output > 0


def test_a_model_that_is_not_there_is_told_by_ollama(config: ApiConfig) -> None:
    if config.provider == "openai":
        # llama.cpp serves its one model under any name.
        assert LLMClient(replace(config, model="nothing", output=4)).chat(HELLO, deadline=Deadline(PATIENCE))
        return
    with pytest.raises(LLMStatusError, match="not found"):
        LLMClient(replace(config, model="nothing")).chat(HELLO, deadline=Deadline(PATIENCE))


def test_a_prompt_that_does_not_fit_is_never_cut_in_silence(config: ApiConfig) -> None:
    long = [{"role": "user", "content": "zebra stripes " * 6000}]
    with pytest.raises(LLMError, match=r"context|to \d+ tokens"):
        LLMClient(replace(config, output=4, context=512)).chat(long, deadline=Deadline(PATIENCE))
