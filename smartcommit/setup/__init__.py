"""Bringing the hooks into a repository: pre-commit's configuration and its installed hooks."""
