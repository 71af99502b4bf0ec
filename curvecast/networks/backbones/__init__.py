"""Sequence models that read the beginning of a curve; one head, the same for all, answers.

reader           the head, and what a backbone must be     families  all of them, by name
recurrent        a cell, point by point: elman, lstm, gru  encoder_decoder  one state handed on, or all looked at
attention        with heads, masks, encodings              feed_forward  plain and gated
transformer      a block and its switches; transformer_pair; language_models  as three papers set them
stack            blocks on a residual stream, of these:    causal_cnn  convolutions that reach ever further
s4, h3, mamba, mamba2    state spaces; hippo says which    linear_attention, deltanet, xlstm, rwkv7  states of matrices
"""
