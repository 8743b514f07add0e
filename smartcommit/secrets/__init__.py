"""What does not belong in a commit: secrets, which are found and redacted in lines, and files that hold these.

The tables of files also have build artefacts, temporary files and logs, and the scan finds conflict markers:
`split.unwanted` decides by them what a split leaves out.

`change.hidden_files` decides by these names, and by the kinds of files, which of them no model sees.
"""
