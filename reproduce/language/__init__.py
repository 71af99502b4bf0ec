"""Is a learning curve a sentence? Words for values, language models of curves, and what they say of later epochs.

curve_tokens       changes of level as symbols, merged in pairs: is the text shorter? And which words keep company?
language_models    from counting words to a transformer, beside the network that forecasts: which foresees curves best?
"""
