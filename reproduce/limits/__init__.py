"""Where does a network stop working? `limits` tries the released model, `thinning` three trainings on long curves."""
