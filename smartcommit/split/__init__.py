"""Splits a change into atomic commits."""
