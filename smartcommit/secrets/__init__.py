"""Secrets in a change: finds and redacts them in lines, and names the files that usually hold secrets.

`change.hidden_files` decides by these names, and by the kinds of files, which of them no model sees.
"""
