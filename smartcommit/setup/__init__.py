"""Installs the hooks: pre-commit configuration and git hooks."""
