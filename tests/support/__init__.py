"""Helpers for tests: repositories, installations, scripted servers."""
