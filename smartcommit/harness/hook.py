"""What a harness runs for each of its events."""

from __future__ import annotations


def main() -> int:
    """Answer nothing yet."""
    return 0
