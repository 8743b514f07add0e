"""Whose the uncommitted lines of a working tree are, and commits of one session's lines alone."""
