"""One thin module per sub-command of `smartcommit`."""
