"""The blog in one file, made after the site: `make zip` and `make pdf`.

edition         the site, the model and the sources as a zip that opens from disk
book            all pages as one PDF
from_disk.js    what a page without a server reads instead of fetching
iframe-worker.js  lets the search run there; of the package of this name
"""
