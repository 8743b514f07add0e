"""The commit message grammar: pure functions over text, no git, no files, no third-party import."""
