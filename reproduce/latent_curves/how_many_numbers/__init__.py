"""How many numbers is a learning curve, and what does a denoiser in front of a forecaster do (denoiser)?"""
