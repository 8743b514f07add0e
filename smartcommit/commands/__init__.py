"""Subcommands of `smartcommit`, one module each."""
