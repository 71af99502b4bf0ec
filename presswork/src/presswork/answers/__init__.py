"""Answers as they lie on disk. Standard library only, since pages read them too.

answer       the published one, or the one made here
packed       tables as files, long ones compressed
receipts     one file an answer
claims_file  claims.json by name, the marks in sentences, retired claims
ledger_file  what a reproduction found, and several side by side
golden       what a question measures at smoke scale, a line a column
freshness    is an answer up to date
inputs       rows and what was made before, on which it rests
needs        the values that a claim's answer is yes for
"""
