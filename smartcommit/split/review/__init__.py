"""The review of a split by a person: edits of the plan, in text or in panes."""
