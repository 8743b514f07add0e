"""The commit message grammar: pure functions over text, no git, no I/O, no dependencies."""
