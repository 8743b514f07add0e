"""Facts about a change, used by the built-in engines and by the summary for a model."""
