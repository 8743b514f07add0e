"""Runs a coding agent over a plan, task by task, and owns every commit."""
