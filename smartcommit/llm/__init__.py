"""Client for language models; the only package that opens network connections."""
