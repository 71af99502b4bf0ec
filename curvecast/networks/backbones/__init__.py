"""Sequence models that read the beginning of a curve, all with the same head.

backbone         what one is; families: all of them        reader     a backbone with inputs and head
recurrent        runs a cell: elman, lstm, gru             encoder_decoder  with and without attention
attention        with heads, masks, encodings              feed_forward  plain and gated
transformer      a configurable block; transformer_pair: encoder and decoder
stack            blocks on a residual stream               causal_cnn  dilated convolutions; mingru: a scan
s4, h3, mamba, mamba2    state spaces; hippo: their matrix linear_attention, deltanet, xlstm, rwkv7  matrix states
"""
