"""The drafter without a model: reads a change and its history, returns a message, starts no process."""
