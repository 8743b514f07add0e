"""Talking to language models: one client, two dialects, nothing else that opens a connection."""
