"""Curves as a few numbers: codes, and what each promises.

autoencoder      linear or bent; denoising if trained so; contractive: codes that move little, Jacobians
sparse           many atoms, few used; encoders that guess them
variational      codes that are distributions, of whole curves: rate against distortion
prefix_code      a forecast from a short code of the beginning
fit              principal components, the best linear code; trains the others; the score from a denoiser
"""
