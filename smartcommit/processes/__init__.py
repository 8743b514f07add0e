"""Processes: starting and ending them, and who runs a hook."""

# The environment variable that names a run of the executor and the commit that it is making.
EXECUTION = "SMARTCOMMIT_EXECUTION"
