"""Guards curvecast/curves/sources/lcdb11.py, on a made-up clone: four sizes, and three numbers for each."""

import json

from curvecast.curves.sources import lcdb11

LEARNERS = ["Decision Tree", "DummyClassifier", "KNN", "QDA"]
WHOLE, CUT, HOLE, NONE = [0.4, 0.3, 0.2, 0.1], [None, 0.3, 0.2, None], [0.4, None, 0.2, 0.1], [None] * 4


def clone(folder, ids, means, learners=LEARNERS):
    data = folder / "docs" / "data"
    (data / "er").mkdir(parents=True)
    meta = {"learners": learners, "anchors": [16, 18, 20, 21]}
    (data / "meta.json").write_text(json.dumps(meta))
    (data / "names.json").write_text(json.dumps({str(number): f"set {number}" for number in ids}))
    stats = [[[[9.0, mean, 8.0] for mean in errors], [[7.0, 7.0, 7.0]] * 4] for errors in means]
    for number in ids:
        (data / "er" / f"{number}.json").write_text(json.dumps(stats))


def test_mean_validation_error_where_it_was_measured(tmp_path):
    """Ends may lack; a hole inside, a learner without data and the dummy leave no curve."""
    clone(tmp_path, [6], [WHOLE, WHOLE, CUT, HOLE])
    tree, knn = lcdb11.read(tmp_path)
    assert tree.curve_id == "6/DecisionTree" and tree.config["learner"] == "Decision Tree"
    assert tree.points() == [(16, 0.4), (18, 0.3), (20, 0.2), (21, 0.1)] and tree.group == "openml-6"
    assert knn.points() == [(18, 0.3), (20, 0.2)] and knn.task == "openml-6 set 6"
    assert not tree.untrained and not tree.measure.higher_is_better


def test_which_data_sets_are_taken_hangs_on_their_number_alone(tmp_path):
    """In the order of the numbers: 6 and 11 are taken, 3 and 14 are not."""
    clone(tmp_path, [11, 14, 3, 6], [WHOLE, NONE, NONE, NONE])
    assert [curve.curve_id.split("/")[0] for curve in lcdb11.read(tmp_path)] == ["6", "11"]
