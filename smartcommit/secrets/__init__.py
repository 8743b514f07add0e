"""Secrets in a change: finds and redacts them in lines, and names the files that usually hold secrets."""
