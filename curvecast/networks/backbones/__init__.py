"""Sequence models that read the beginning of a curve, all with the same head.

backbone         what one is; families: all of them        reader     a backbone with inputs and head
recurrent        cells: elman, lstm, gru, mingru           encoder_decoder  recurrent or transformers
attention        with heads, masks, encodings
transformer      a configurable block
stack            blocks on a residual stream               causal_cnn  dilated convolutions
s4, mamba        state spaces                              linear_attention, deltanet, xlstm, rwkv7  matrix states
"""
