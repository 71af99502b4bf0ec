"""What is printed in a terminal.

progress  what a run prints while it works, how far each job is, and what failed
schedule  the time that is left    cost   what --cost tells
spent     what a run and the tests took, beside the last quiet ones            why    where a number comes from
verdict   how claims stand, and what differs from what is published            commands   status, list, verify, ledger
"""
