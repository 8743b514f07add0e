"""The splitter with a model: the tools it gets, and the commits it emits."""
