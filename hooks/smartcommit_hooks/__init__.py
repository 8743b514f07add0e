"""Entry points of the hook ids in `.pre-commit-hooks.yaml`: arguments and exit status, nothing else."""
