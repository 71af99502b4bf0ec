"""What pages need: nothing that measures. The looks of every site are in theme/ and mkdocs.yml.

macros      what pages may call          build      the configuration, built or served
here        where a macro is             reference  of a package, and named pieces of code
blocks      figures and tables as HTML   bibliography  citations by key
provenance  where a picture comes from   pages      which macros pages call
stated      macros that state claims     names      what names in tables lead to
verdicts    claims on a page             extension  formulas, first uses of terms
notebook    looks of notebook pages      pictures   in the cards of words
carried     citation, feed, preview, the blog in one file
"""
