"""Runs a coding agent on a plan, task by task, and creates the commits."""
