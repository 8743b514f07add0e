"""The one step in which a split changes what the user has: its journal, its quarantine, and how it is undone."""
