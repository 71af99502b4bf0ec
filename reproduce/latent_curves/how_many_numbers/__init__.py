"""How many numbers is a learning curve, and does a denoiser in front help a forecaster?

question   asks, and has the codes
denoiser   what a denoiser gives back, and what forecasters make of it that were not trained for it
behind     forecasters that were trained behind it
"""
