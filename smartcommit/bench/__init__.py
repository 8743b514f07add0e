"""Replays a repository's own history to measure drafts and splits."""
