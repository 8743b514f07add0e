"""Splitting a change into atomic commits."""
