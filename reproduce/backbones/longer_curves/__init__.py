"""question trains, asks and draws; rescaled trains on longer curves, whose epochs end at 100 again; stated: the claims."""
