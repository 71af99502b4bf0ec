"""Answers as they lie on disk. Standard library only, since pages read them too.

answer       the published one, or the one made here
packed       long tables lie packed
receipts     one file an answer
keys         is it still true to the code
definitions  what it rests on: source_files, definition_text
sameness     same numbers since
conditions   what a claim must meet
"""
