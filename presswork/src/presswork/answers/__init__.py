"""Answers as they lie on disk. Standard library only, since pages read them too.

answer       the published one, or the one made here            packed     tables as files, long ones compressed
receipts     one file an answer, and the inputs that it names
claims_file  claims.json by name, estimates.json by key, marks in sentences, retired claims
ledger_file  what a reproduction found, and several side by side
golden       what a question measures at the scale of tests, a line a column; freshness: is an answer up to date
"""
