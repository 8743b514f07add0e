"""Metadata that setup.cfg cannot express; everything else is there."""

from __future__ import annotations

import re
from pathlib import Path

from setuptools import setup

SOURCE = "https://github.com/smartcommit/smartcommit"


def make_links_absolute(text: str) -> str:
    """Return Markdown whose links and images lead from the package index to the repository."""
    images = re.sub(r"(!\[[^\]]*\]\()(?!https?:|#)", rf"\1{SOURCE}/raw/main/", text)
    return re.sub(r"(?<!!)(\[[^\]]*\]\()(?!https?:|#)", rf"\1{SOURCE}/blob/main/", images)


setup(long_description=make_links_absolute((Path(__file__).parent / "README.md").read_text(encoding="utf-8")))
