"""Applies a split to the user's repository in one step: the quarantine of its objects, its journal, and its undo."""
