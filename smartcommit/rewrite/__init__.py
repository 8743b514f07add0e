"""Rewrites commits of the current branch: cuts a range anew, and puts changes into the commits they belong to."""
