"""Stopping early: training ends after so many epochs without a better accuracy, and the best weights are kept.

One half of the test images stops; the other judges, since a maximum over epochs flatters the images that chose it.
"""

import pandas as pd


def stopped(run: pd.DataFrame, patience: int) -> tuple[int, int]:
    """The epoch whose weights are kept, and that in which training ends; a tie is no better."""
    best = now = 0
    accuracies = run["stopping_accuracy"].tolist()
    for now, accuracy in enumerate(accuracies):
        if accuracy > accuracies[best]:
            best = now
        elif now - best >= patience:
            break
    return best, now


def judged(rows: pd.DataFrame, patience: int) -> dict[str, pd.DataFrame]:
    """Of the runs without any technique, a row for each seed: as they are kept by the rule, and at their end."""
    runs = [run.sort_values("epoch") for _, run in rows.groupby("seed")]
    kept = [run.iloc[stopped(run, patience)[0]] for run in runs]
    return {
        "stopped early, judged on half of the test images": pd.DataFrame(kept),
        "not stopped, the same half": pd.DataFrame([run.iloc[-1] for run in runs]),
    }
