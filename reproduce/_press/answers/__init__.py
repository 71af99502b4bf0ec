"""Answers as they lie on disk. Standard library only, since pages read them too.

answer       the published one, or the one made here
packed       tables as files, long ones compressed
receipts     one file an answer
claims_file  claims.json by name        retired  claims that are no longer asked
ledger_file  what a reproduction found
golden       what a question measures at smoke scale, a line a column
freshness    is an answer up to date
inputs       weights and rows that it rests on
needs        the values that a claim's answer is yes for       marks  the sign of each answer
"""
