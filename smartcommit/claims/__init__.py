"""A message compared with its change: what it claims, and what the lines and paths show."""
