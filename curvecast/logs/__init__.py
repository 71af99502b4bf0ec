"""Training logs into runs, without torch.

runs            what kind of log is it; several as one set of runs
folder          a folder of logs of all kinds     checked_points    steps rise, numbers are finite
delimited       comma, tab or semicolon           json_lines        JSON, one point a line, or one document
columns         their names                       direction         is higher better, by their names
events          TensorBoard's event files         wandb_file        Weights & Biases, offline
database        MLflow's, opened with distrust    restarts          where steps go back
"""
