"""Training logs into runs, without torch.

runs           what kind of log is it             several_files     several logs as one set of runs
folder         a folder of logs of all kinds      columns           what a header says
delimited      comma, tab or semicolon            json_lines        JSON, one point a line
json_document  a log that is one JSON document    events            TensorBoard's event files
database       SQLite, opened with distrust       mlflow_database   trackio_database
mlflow_folder  a folder for each run              wandb_file        Weights & Biases, offline
checked_points  steps rise, numbers are finite
direction       is more better, or less
"""
