"""The questions of the blog: a file each, or a folder, in its chapter; found by its name. Their contract is the docstring of
presswork, the tool that runs them; what this blog adds to it is in _plugin.

A new question is a new file in a chapter, and a page in docs/ that names its figures. What outgrows a file becomes a folder
of its name with question.py and its ideas beside it. Questions never import one another, and no chapter another: what the
questions of a chapter share lies in a file of it whose name begins with an underscore, what chapters share lies below them.

Chapters: reproduction porting encoding limits new_data practice backbones craft latent_curves language priors scaling.
Shared:
pictures    shapes of figures                     protocols  ways of measuring
trainings   those that several questions share    printed    what papers print
rival       other programs, to compare with       _plugin    what this blog adds to the tool
"""
