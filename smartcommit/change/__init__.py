"""Facts about a change, for the embedded engines and for the summary a model reads."""
