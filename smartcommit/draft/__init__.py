"""Drafts messages for the changes about to be committed."""
