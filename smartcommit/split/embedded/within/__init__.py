"""Divides the hunks of files further: pieces of them that are a concern of their own become a commit of their own."""
