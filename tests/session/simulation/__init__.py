"""A simulator that judges the ledger of sessions: it knows of every single line who typed it.

`python -m tests.session.simulation.run --help` runs it; see `run` for what is counted.
"""
