"""The engine: from a question to its answer. It knows no question.

contract   what a question is                claim  claim_text  a claim, and as text      verdict    their answers here
questions  where they are                    machine  what it was made on                 bundle     answers in one tar
commands   what each command does            answers  read, and are they still true       telling    in a terminal
run  queue train and measure one question    plan     the jobs of the whole blog          intervals  a number, its 95 %
drawing    its figures, tables, claims       engine   one run of them, in forks (workers)
smoke      every question at smoke scale     style    figures, in notebooks too           palette    methods: name, colours
store      the only writer of answers        made_up_curves  for smoke scale
estimates  numbers by what they are of, made once for figures, tables and claims; rows by columns
"""
