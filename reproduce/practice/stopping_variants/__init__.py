"""Is the stopping rule faster with calibrated intervals, or with sampled futures?

question    measures, draws and claims
calibrated  forecasts with intervals calibrated on finished runs
"""
