"""question asks and draws; scored: what a forecast of a run is held against; shapes: what a technique does to a curve."""
