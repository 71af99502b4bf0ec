"""Guards which blog the tool works for: settings and plugin are found, and what is wrong with them is one sentence."""

import sys

import pytest

from presswork.ground import blog
from presswork.ground.errors import UserError
from presswork.ground.plugin import Plugin


def settings(folder, text):
    (folder / "pyproject.toml").write_text(text)
    return folder


def test_the_nearest_folder_with_settings_is_the_blog(tmp_path):
    """A pyproject.toml of something else is passed by; where there is none, the folder itself has all defaults."""
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    assert blog.nearest(inner).root == inner
    settings(tmp_path, "[tool.presswork]\nscales = ['tests', 'here', 'there']\nunits = ['apples']\n")
    settings(tmp_path / "a", "[project]\nname = 'a'\n")
    found = blog.nearest(inner)
    assert (found.root, found.smoke, found.usual, found.units) == (tmp_path, "tests", "here", ("apples",))
    assert found.best_first == ("there", "here") and found.whole_with("again") == "presswork blog --again"
    settings(tmp_path / "a", "[tool.presswork]\nwhole = 'make all'\n")  # one blog in another
    assert (
        blog.nearest(inner).root == tmp_path / "a"
        and blog.nearest(inner).whole_with("all") == "make all all=1"
    )


@pytest.mark.parametrize(("text", "told"), [
    ("scale = ['a', 'b']", "called 'scale'; did you mean 'scales'?"), ("units = 'nats'", "should be a list of texts"),
    ("name = 3", "should be a text"), ("ledger = ['torch']", "should be a table of texts"),
    ("scales = ['smoke']", "needs two at least"), ("units = [", "cannot be read"),
])  # fmt: skip
def test_a_wrong_setting_is_told_with_its_file(tmp_path, text, told):
    settings(tmp_path, f"[tool.presswork]\n{text}\n")
    with pytest.raises(UserError) as error:
        blog.nearest(tmp_path)
    assert f"{tmp_path}/pyproject.toml" in str(error.value) and told in str(error.value)


@pytest.mark.parametrize(("where", "told"), [
    ("nowhere:Mine", "ModuleNotFoundError"), ("broken_plugin:Mine", "RuntimeError: no luck"),
    ("broken_plugin:Missing", "AttributeError"), ("broken_plugin:Other", "is no presswork.ground.plugin.Plugin"),
])  # fmt: skip
def test_a_plugin_that_raises_is_one_sentence(tmp_path, monkeypatch, where, told):
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    raises = "class Mine:\n    def __init__(self):\n        raise RuntimeError('no luck')\nclass Other: ...\n"
    (tmp_path / "broken_plugin.py").write_text(raises)
    found = blog.nearest(settings(tmp_path, f"[tool.presswork]\nplugin_at = '{where}'\n"))
    with pytest.raises(UserError) as error:
        found.plugin  # noqa: B018
    assert told in str(error.value) and "\n" not in str(error.value)


def test_without_a_plugin_nothing_is_made_before(tmp_path):
    assert type(blog.nearest(tmp_path).plugin) is Plugin and not Plugin().made_before(object())
