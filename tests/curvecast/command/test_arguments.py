"""Guards curvecast/command/arguments.py: what nobody knows is told in one sentence, with what was probably meant."""

import pytest

from curvecast.command.arguments import Parser


@pytest.fixture
def parser():
    whole = Parser("tool")
    commands = whole.add_subparsers(dest="command", required=True, metavar="command")
    read = commands.add_parser("read")
    read.add_argument("names", nargs="*", default=["-"])
    read.add_argument("--kind", choices=("wide", "long"))
    read.add_argument("--brief", action="store_true")
    read.files = "names"
    commands.add_parser("write")
    return whole


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["raed"], "tool: there is no command 'raed': did you mean 'read'?"),
        (["zzz"], "tool: there is no command 'zzz'; see tool --help"),
        ([], "tool: the following arguments are required: command; see tool --help"),
        (["read", "--bref"], "tool read: there is no option '--bref': did you mean '--brief'?"),
        (["read", "--knid=wide"], "tool read: there is no option '--knid': did you mean '--kind'?"),
        (["read", "--kind", "wied"], "tool read: there is no --kind 'wied': did you mean 'wide'?"),
        (["write", "x\x1b"], r"tool write: 'x\x1b' is an unexpected argument; see tool write --help"),
    ],
)
def test_what_is_not_known_is_one_sentence_with_what_was_meant(parser, capsys, words, said):
    with pytest.raises(SystemExit, match="2"):
        parser.parse_args(words)
    assert capsys.readouterr().err == said + "\n"


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ([], ["-"]),
        (["--brief", "a"], ["a"]),
        (["a", "--brief", "b", "-"], ["a", "b", "-"]),
        (["a", "--kind", "wide", "b", "--brief", "c"], ["a", "b", "c"]),
    ],
)
def test_files_may_stand_on_both_sides_of_options(parser, words, names):
    assert parser.parse_args(["read", *words]).names == names
    assert parser.parse_args(["read"]).names == ["-"]  # a default is nobody's to append to
