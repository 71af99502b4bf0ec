"""What does a network believe that was trained on another prior, and what does TabPFN's inference add?

many_passes      averages of forecasts through maps of the value (_passes), on curves of the prior and on real ones
damaged_curves   missing, rounded and repeated values, and a network that was trained with gaps
"""
