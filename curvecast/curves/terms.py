"""What goes with every curve that others measured: whose it is, and under which licence it may be used."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Terms:
    file: str  # the table of its curves
    source: str  # its name there
    licence: str  # SPDX
    copyright: str  # as its own licence or paper words it
    citation: str  # key in docs/references.bib
