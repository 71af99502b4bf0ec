"""Other programs, to compare with; none is needed unless it is asked.

package       the reference package lcpfn, in an environment of its own       partner   takes turns with it, a line each
time_series   Fracast-0, a forecaster of any time series, from its wheel
freeze_thaw   Syne Tune 0.14.2’s, asked here and answering from an environment of its own
"""
