"""Curves as sentences: a value is a word, and a language model says which word comes next.

symbols        any floats as symbols, without loss; frequent pairs become symbols (byte pair encoding); n-grams count them
model          values as words; the neural ones: a backbone between word vectors and the next word
continuations  sampled futures, and the density of each later epoch
skip_gram      vectors of words from the company that they keep; a network that reads the last few
"""
