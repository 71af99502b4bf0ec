"""Guards what travels between machines, ledgers and bundles: read again they are the same, a ledger names nobody, and a bad
one is refused in one sentence."""

import getpass
import io
import json
import os
import tarfile
from hashlib import sha256
from pathlib import Path

import pytest
from invented import CLAIM
from toys import contents, noted

from presswork import __main__, bundle
from presswork.answers import ledger_file, receipts
from presswork.authoring import publishing
from presswork.ground.errors import UserError
from presswork.site import stated

FOUND = {key: CLAIM[key] for key in ledger_file.FOUND}
KNOWN = {"q/same": CLAIM, "q/turned": CLAIM, "q/<i>": CLAIM | {"asks": "Is <i> it?"}}
HERE = {"here": FOUND, "published": FOUND, "differs": False}
OTHER = HERE | {"here": FOUND | {"value": 1.5, "low": 1.4, "high": 1.55, "answer": "no"}, "differs": True}
WHOLE = {
    "ledger": 1, "date": "2026-11-27", "scale": "laptop", "seconds": 120, "system": "Linux",
    "hardware": {"processor": "Fast <b>One</b>", "cores": 2, "memory_gb": 8, "gpu": "none"},
    "versions": {"python": "3.11.7", "torch": "2.13.0", "numpy": "2.4.6", "curvecast": "0.2.0", "commit": "0123456789ab"},
    "claims": {"q/same": HERE, "q/turned": OTHER},
}  # fmt: skip


def signed(**changes: object) -> bytes:
    ledger = WHOLE | changes
    return ledger_file.as_bytes(ledger | {"checksum": ledger_file.checksum(ledger)})


def put(folder: Path, data: bytes) -> Path:
    (path := folder / "some.json").write_bytes(data)
    return path


def test_the_end_of_a_run_is_read_again_and_names_nobody(answered):
    """The claims that are published, as `verify` answers them; of the machine its kind, not its name."""
    told = answered.run("ledger", "--write", "l.json", expect=2).stderr
    assert "answers no published claim at laptop scale" in told
    answered.run("publish", "line", "--scale", "laptop")
    told = answered.run("ledger", "--write", "l.json").stdout
    text = (path := answered.root / "l.json").read_text()
    (ledger,) = ledger_file.read([path], [name := "line/steep"], answered.root)
    assert ledger_file.as_bytes(ledger) == path.read_bytes()
    assert told == answered.run("ledger", "l.json").stdout
    assert ledger["memory_mb"]["line"] > 10
    notes = receipts.of(answered.answer("line"))
    older = [{key: note[key] for key in note if key != "memory_mb"} for note in notes]
    (answered.answer("line") / receipts.RECEIPTS).write_text(json.dumps(receipts.together(older)))
    answered.run("ledger", "--write", "older.json")
    assert json.loads((answered.root / "older.json").read_text())["memory_mb"] == {}
    assert ledger["claims"][name]["here"]["value"] == ledger["claims"][name]["published"]["value"] == 5.57143
    answered.edit("lib/scores/metrics.py", "x + 1", "x + 2")
    answered.run("smoke", "line", "--keep")  # what lies here is that of earlier code
    assert "answers no published claim" in answered.run("ledger", "--write", "l.json", expect=2).stderr
    for private in (os.uname().nodename, getpass.getuser(), str(Path.home()), str(answered.root)):
        assert private not in text


@pytest.mark.parametrize(("data", "told"), [
    (signed()[:-30], "is not a ledger (JSONDecodeError"), (b"[]", "is not a ledger: `make reproduce` writes one"),
    (b"[" * 100_000, "is not a ledger (RecursionError"),
    (signed().replace(b'"seconds":120', b'"seconds":121'), "its checksum does not fit"),
    (signed(ledger=2), "is a ledger of version 2: this code reads 1"),
    (signed(hardware={"processor": "Fast One"}), "it lacks hardware.cores"),
    (signed(host="mine"), "it has an unknown key host"),
    (signed(claims={"q/gone": HERE}), "this blog has no claim q/gone"),
    (signed(claims={"q/same": HERE | {"differs": True}}), "what it says of q/same contradicts itself"),
    (signed(claims={"q/same": HERE | {"here": FOUND | {"low": None}}}), "of q/same contradicts itself"),
    (signed(claims={"q/same": HERE | {"here": FOUND | {"low": FOUND["high"]}}}), "of q/same contradicts itself"),
    (signed(claims={"q/same": HERE | {"here": dict.fromkeys(FOUND) | {"answer": "yes"}}}), "contradicts itself"),
    (signed(claims={"q/same": HERE | {"here": FOUND | {"low": 10**400}}}), "claims.q/same.here.low cannot be 1000"),
    (signed(claims=[]), "claims cannot be []"), (signed(memory_mb={"q": "much"}), "memory_mb.q cannot be much"),
    (signed(memory_mb=7), "is not a ledger (TypeError"),
    (signed(system="Li\x1b[31mnux"), "system cannot be Li?[31mnux"), (signed(seconds=-1), "seconds cannot be -1"),
    (signed(date="20261127"), "its date is not written as 2026-11-27"),
], ids=lambda case: case[:24] if isinstance(case, str) else "")  # fmt: skip
def test_a_bad_file_is_refused_in_one_sentence_that_names_it(tmp_path, capsys, data, told):
    path = put(tmp_path, data)
    with pytest.raises(UserError) as refused:
        ledger_file.read([path], KNOWN, tmp_path)
    assert told in str(refused.value) and str(path) in str(refused.value) and "\n" not in str(refused.value)


@pytest.mark.parametrize(("name", "told"), [("", "Is a directory"), ("no.json", "there is no file")])
def test_what_is_no_file_is_told(tmp_path, capsys, name, told):
    assert __main__.main(["ledger", str(tmp_path / name)]) == 2
    assert told in (said := capsys.readouterr().err) and said.count("\n") == 1


def test_a_retired_claim_no_longer_counts(tmp_path):
    publishing.retire_claims(
        "q", {"gone": {"name": "gone", "answer": "no"}}, "no sentence names it", tmp_path
    )
    path = put(tmp_path, signed(claims={"q/gone": OTHER, "q/same": HERE}))
    (ledger,) = ledger_file.read([path], KNOWN, tmp_path)
    assert [*ledger["claims"]] == ["q/same"]


def test_ledgers_side_by_side_say_which_claims_turned_where_and_how_often():
    """In a terminal, and as tables in which whatever a file says is text."""
    both = [WHOLE, WHOLE | {"date": "2026-12-01", "claims": {"q/turned": HERE, "q/<i>": OTHER}}]
    assert [ledger_file.line(ledger)[-3:] for ledger in both] == [["2", "1", "1"], ["2", "1", "1"]]
    told = ledger_file.show(both, KNOWN)
    turned = "q/turned turned in 1 of 2: published yes, 1.602 nats [1.580, 1.624]; needed ≥ 1.585 nats"
    assert turned in told.replace("\u00a0", " ")
    html = stated.tables(both, KNOWN, lambda question: f"{question}.html")
    assert "(2026-12-01, Fast &lt;b&gt;One&lt;/b&gt;, 2 cores, 8 GB, no GPU, Linux)" in html
    assert "Is &lt;i&gt; it?" in html
    assert "<b>" not in html and "<i>" not in html and html.count('<a href="q.html">') == 2
    assert "turned" not in stated.tables([both[0] | {"claims": {"q/same": HERE}}], KNOWN, str)


@pytest.fixture
def tar(answered):
    """A whole bundle of the toy's answers, made where there is no git."""
    answered.run("bundle", "answers.tar", "--scale", "laptop", "--commit", "abcdef1")
    return answered.root / "answers.tar"


def test_answers_travel_in_a_bundle(answered, tar, project):
    """What is unpacked elsewhere is the same answer, up to date, with the commit that was named; without one it stays."""
    assert bundle.unbundle(tar, project.root) == [
        "figures/grid/laptop: up to date; python -m reproduce publish grid",
        "figures/line/laptop: up to date; python -m reproduce publish line",
    ]
    for question in ("grid", "line"):
        ours, theirs = (contents(where.answer(question)) for where in (answered, project))
        assert ours.pop("receipts.json") and theirs.pop("receipts.json") and ours == theirs
    assert noted(project.answer("line"))["all"]["commit"] == "abcdef1"
    assert list((project.root / "weights").iterdir())
    assert "--commit SHA" in answered.run("bundle", "b.tar", "--scale", "laptop", expect=2).stderr


def test_what_a_bundle_holds_can_be_taken_out_of_it(answered):
    """A name with letters of any language may travel; another one is told before, and not where it arrives."""
    command = ["bundle", "b.tar", "line", "--scale", "laptop", "--commit", "abcdef1"]
    answered.edit("reproduce/toys/line.py", '"ends"', '"größe"')
    answered.run("draw", "line")
    answered.run(*command)
    answered.run("unbundle", "b.tar")
    answered.edit("reproduce/toys/line.py", '"größe"', '"the ends"')
    answered.run("draw", "line")
    assert "the ends.table.csv is not a place where" in answered.run(*command, expect=2).stderr


ROW, RECEIPTS = "figures/line/laptop/rows.csv", "figures/line/laptop/receipts.json"
SPOILT = {
    "not a tar": (lambda tar: b"not a tar", "not a bundle"),
    "cut off": (lambda tar: tar.read_bytes()[: tar.stat().st_size // 2], "damaged|not what the manifest"),
    "changed": (lambda tar: again(tar, change={ROW: b"x,y\n1,1\n"}), "not what the manifest"),
    "missing": (lambda tar: again(tar, drop=ROW), "not what the manifest"),
    "a link": (lambda tar: again(tar, link=ROW), "not a plain file"),
    "sparse": (lambda tar: again(tar, link=ROW, kind=tarfile.GNUTYPE_SPARSE), "not a plain file"),
    "other rows": (lambda tar: again(tar, change={ROW: b"x,y\n1,1\n"}, resign=True), "does not fit the rows"),
    "no receipts": (lambda tar: again(tar, drop=RECEIPTS, resign=True), "does not fit the rows"),
    "odd receipts": (lambda tar: again(tar, change={RECEIPTS: b"[1]"}, resign=True), "does not fit the rows"),
    "packed": (lambda tar: again(tar, change={f"{ROW}.xz": b"cut"}, resign=True), "does not fit the rows"),
}  # fmt: skip
OUTSIDE = {
    "../evil.csv": "not a place", "/etc/evil.csv": "not a place", "reproduce/toys/line.py": "not a place",
    "figures/line/paper/rows.csv": "not a place", "figures/stranger/laptop/rows.csv": "no question 'stranger'",
}  # fmt: skip


def test_a_spoilt_bundle_is_refused_in_one_sentence_and_nothing_is_written(tar, project, tmp_path):
    places = [(again(tar, change={name: b"x"}, resign=True), told) for name, told in OUTSIDE.items()]
    for data, told in [(spoil(tar), told) for spoil, told in SPOILT.values()] + places:
        (tmp_path / "spoilt.tar").write_bytes(data)
        with pytest.raises(UserError, match=told):
            bundle.unbundle(tmp_path / "spoilt.tar", project.root)
        assert not (project.root / "figures").exists() and not (project.root / "runs" / "here").exists()


def again(tar, change=None, drop=None, link=None, kind=tarfile.SYMTYPE, resign=False) -> bytes:
    """The tar with a member changed, dropped or made a link, or of another kind; `resign` makes the manifest fit."""
    with tarfile.open(tar) as old:
        files = {member.name: old.extractfile(member).read() for member in old}
    files |= change or {}
    files.pop(drop, None)
    if resign:
        manifest = json.loads(files.pop("manifest.json"))
        manifest["files"] = {name: sha256(data).hexdigest() for name, data in files.items()}
        files["manifest.json"] = json.dumps(manifest).encode()
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as new:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = 0 if name == link else len(data)
            if name == link:
                member.type, member.linkname = kind, "/etc/passwd"
            new.addfile(member, io.BytesIO(data))
    return buffer.getvalue()
