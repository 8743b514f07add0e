"""Statements: summaries that say only what the lines of a change show."""
