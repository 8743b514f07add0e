"""Reading and keeping messages in jj repositories."""
