"""The only package that starts git."""
