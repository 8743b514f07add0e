"""smartcommit: git hooks that draft, check and split commits."""

__version__ = "0.1.0"
