"""For somebody who writes a blog.

commands    new, demo, check, why, export, build, serve    begin      a new blog, and one that breaks twice
markers     numbers in any Markdown file                  publishing an answer; claims that go
"""
