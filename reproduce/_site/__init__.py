"""What the pages need: no torch, no question.

macros      what pages may call          live          the live figure (live.html)
here        where a macro is             reference     of the package
blocks      figures and tables as HTML   source        a named piece of code
provenance  where a picture comes from   bibliography  citations by key
stated      macros that state claims     pages         which macros pages call
verdicts    claims on a page             tally         of all claims
paper       claims of the paper          mathml        LaTeX to MathML
printed     numbers that papers print    notebook      looks of notebook pages
corrections, names, first_uses, reproductions, verify; carried: citation, preview, the blog in one file
"""
