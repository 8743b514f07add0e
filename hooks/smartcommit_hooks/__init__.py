"""Console entry points for the hook ids in `.pre-commit-hooks.yaml`."""
