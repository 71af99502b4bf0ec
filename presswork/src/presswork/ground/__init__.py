"""What all else rests on: which blog this is, and how files and complaints are made. Standard library alone.

blog       the settings of [tool.presswork]         plugin     what a blog adds to the tool
config     settings and their hash                  errors     the error that a user can act on
machine    hardware and versions                        files      locks, and files that are whole or not there
parts      names of parts, and their values            kinds      is what a question returned of its kind?
"""
