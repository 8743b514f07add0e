"""Coding agents' harnesses: what is installed for them, and what their hooks tell us and are answered."""
