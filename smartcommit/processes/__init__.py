"""Other processes: who runs a hook, which processes there are, and groups that end together."""
