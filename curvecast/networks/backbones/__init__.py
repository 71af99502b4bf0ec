"""Sequence models that read the beginning of a curve, all with the same head.

stack            what a backbone is, and blocks on a residual stream
reader           a backbone with inputs and head; all of them by name      causal_cnn  dilated convolutions
recurrent        cells: elman, lstm, gru, mingru           encoder_decoder  recurrent or transformers
attention        with heads, masks, encodings              transformer      a configurable block
s4, mamba        state spaces                              linear_attention, deltanet, xlstm  matrix states
"""
