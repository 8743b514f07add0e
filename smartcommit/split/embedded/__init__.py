"""The splitter without a model: compares the parts of a change by fitted weights and groups them."""
