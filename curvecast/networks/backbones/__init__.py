"""Sequence models that read the beginning of a curve, all with the same head.

reader           the head, and the backbone interface      families  all of them, by name
recurrent        runs a cell: elman, lstm, gru             encoder_decoder  with and without attention
attention        with heads, masks, encodings              feed_forward  plain and gated
transformer      a configurable block; transformer_pair; language_models  configured as in three papers
stack            blocks on a residual stream               causal_cnn  dilated convolutions
s4, h3, mamba, mamba2    state spaces; hippo: their matrix linear_attention, deltanet, xlstm, rwkv7  matrix states
"""
