"""What papers print: data, never typed into code.

printed.csv        numbers, with section and table
paper_claims.csv   sentences, and which claims of ours test them
printed_ports.csv  what the old ports printed
numbers            reads printed.csv
"""
