"""smartcommit: git hooks that draft, check and split commits."""

__version__ = "0.1.0"
HOME = "https://github.com/smartcommit/smartcommit"
# Where hints lead: an installation has no documentation beside it.
DOCS = f"{HOME}/blob/main/docs"
