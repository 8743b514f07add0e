"""smartcommit: git hooks that draft, check and split commits."""

__version__ = "0.1.0"
HOME = "https://github.com/smartcommit/smartcommit"
# The documentation that hints link to, since it is not installed.
DOCS = f"{HOME}/blob/main/docs"
