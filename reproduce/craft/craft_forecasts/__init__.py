"""question asks and draws; scored: what a forecast of a run is held against; dropout: a network that forecasts by passes."""
