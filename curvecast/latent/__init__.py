"""Curves as a few numbers: codes, and what each promises.

principal        the best linear code, and angles
autoencoder      linear or bent; denoising if trained so; contractive: codes that move little, Jacobians
sparse           many atoms, few used; encoders that guess them
variational      codes that are distributions, of whole curves: rate against distortion
prefix_code      a forecast from a short code of the beginning
fit              trains a code; coordinates that two share, the score from a denoiser
"""
