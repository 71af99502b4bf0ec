"""What the pages need: no torch, no question.

macros      what pages may call          live       the live figure (live.html); verify: a score again
here        where a macro is             reference  of the package, and named pieces of code
blocks      figures and tables as HTML   bibliography  citations by key
provenance  where a picture comes from   pages      which macros pages call
stated      macros that state claims     names      in tables, and first uses of terms
verdicts    claims on a page             mathml     LaTeX to MathML
paper       what it prints and claims    notebook   looks of notebook pages
together    headlines, corrected for their number
corrections of notes; carried: citation, feed, preview, the blog in one file
"""
