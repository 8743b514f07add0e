"""jj support: reading and writing change descriptions."""
