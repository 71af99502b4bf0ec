"""What is carried away: a page's citation and preview, and the blog in one file.

cited           who, which version, which date; the feed; the picture that a link shows elsewhere
edition         the site, the model and the sources as a zip that opens from disk
book            all pages as one PDF
iframe-worker.js  lets the search run there; of the package of this name
"""
