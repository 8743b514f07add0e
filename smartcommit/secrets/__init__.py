"""Secrets in a change: what a line gives away, how it is redacted, and which files hold nothing else."""
