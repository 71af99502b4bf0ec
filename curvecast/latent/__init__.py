"""Curves as a few numbers: codes, and what each promises.

principal        the best linear code, and angles   coordinates      what two codes have in common
autoencoder      linear or bent; denoising if trained so
contractive      codes that move little             tangents         Jacobians: spectrum and directions
sparse           many atoms, few used (ISTA)        predictive_sparse  an encoder that guesses what ISTA finds
gaussian         codes that are distributions       variational      of whole curves: rate against distortion
prefix_code      a forecast from a short code of the beginning          score   from a denoiser
fit              trains a code
"""
