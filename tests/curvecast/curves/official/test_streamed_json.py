"""Guards curvecast/curves/official/streamed_json.py: piece by piece it gives what json.load gives at once."""

import io
import json

import pytest

from curvecast.curves.official import streamed_json

HELD = {
    "a": {"0": {"log": [1, 2.5, None], "x": {"y": '} \u00e4 "'}}, "1": {}},
    "empty": {},
    "b": {"0": {"t": True}},
}


@pytest.mark.parametrize("chunk", [1, 2, 7, 1000])
@pytest.mark.parametrize("indent", [None, 2])
def test_pieces_of_any_size_give_the_same(monkeypatch, chunk, indent):
    monkeypatch.setattr(streamed_json, "CHUNK", chunk)
    found = list(streamed_json.inner(io.StringIO(json.dumps(HELD, indent=indent))))
    assert found == [(outer, name, held) for outer, inside in HELD.items() for name, held in inside.items()]


def test_what_was_read_is_let_go(monkeypatch):
    """The buffer never holds much more than an object and a chunk."""
    monkeypatch.setattr(streamed_json, "CHUNK", 100)
    stream = streamed_json.Stream(io.StringIO(json.dumps({"a": {str(i): {"v": i} for i in range(1000)}})))
    longest = 0
    for _ in streamed_json._names(stream):
        for _ in streamed_json._names(stream):
            stream.value("{")
            longest = max(longest, len(stream.text))
    assert 100 <= longest < 250


@pytest.mark.parametrize("cut", range(1, len(json.dumps(HELD))))
def test_a_file_that_is_cut_anywhere_is_told(cut):
    with pytest.raises(EOFError, match="cut off"):
        list(streamed_json.inner(io.StringIO(json.dumps(HELD)[:cut])))


@pytest.mark.parametrize(
    "text", ["[1]", '{"a": [1]}', '{"a": {"0": 3}}', '{"a": {"0": {}} "b": {}}', "{1: {}}"]
)
def test_another_shape_is_told(text):
    with pytest.raises(ValueError, match="belongs"):
        list(streamed_json.inner(io.StringIO(text)))


def test_an_object_without_an_end_is_not_read_for_ever(monkeypatch):
    """It may not grow beyond what any object of these files has."""
    monkeypatch.setattr(streamed_json, "CHUNK", 10)
    monkeypatch.setattr(streamed_json, "LARGEST", 100)
    file = io.StringIO('{"a": {"0": {"x": "' + "y" * 1000 + '"}}}')
    with pytest.raises(EOFError, match="damaged"):
        list(streamed_json.inner(file))
    assert file.tell() < 200
