"""Git access; the only package that runs git."""
