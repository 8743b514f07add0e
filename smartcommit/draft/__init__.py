"""Drafting a message for what is about to be committed."""
