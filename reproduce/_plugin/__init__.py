"""What this blog adds to presswork.

plugin            names all that follows                 networks   what is made before: trainings, and what they cost
queue             what takes days, beside other work
palette           the methods' names and colours         speed      how fast this machine is beside those of receipts
made_up_curves    in place of real ones, in tests        live       the model in the page (live.html), a score again
guess             draw the rest of a run (guess.html)    headlines  corrected together; the short way through the pages
idea              the idea in one picture, by scrolling
paper             what the paper prints and claims, counts of answers; corrections of notes    carried: the zip's live model
"""
