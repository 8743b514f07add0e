"""The splitter with a model: the tools it gets, the commits it emits, and their critique."""
