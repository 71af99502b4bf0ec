"""What papers print: data, never typed into code.

printed.csv        numbers, with section and table
paper_claims.csv   sentences, and which claims of ours test them
after_rows.csv     claims of ours that were added or changed after their rows were seen
printed_ports.csv  what the old ports printed       corrections.csv  what notes say, and what is right
retired.csv        claims that are no longer asked  language_models.csv  settings that papers print
budgets.csv        seconds of a training step of each backbone in November 2026, by which equal time was shared out
ladder.csv         accuracies on MNIST, rung by rung, in Nielsen’s book
numbers            reads printed.csv
"""
