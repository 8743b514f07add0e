"""Pieces of text in files of other people: they come out again, whatever the files are, and whatever was killed."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smartcommit import state_files
from smartcommit.errors import SmartcommitError
from smartcommit.setup.pieces import PieceRecord, cut, insert, read

texts = st.text("a\n\r", max_size=12)


@given(texts, st.lists(st.tuples(st.integers(0, 12), st.text("ab\n", min_size=1, max_size=3)), max_size=4))
def test_pieces_come_out_although_the_text_has_them_elsewhere(text: str, insertions: list[tuple[int, str]]) -> None:
    places = [(min(place, len(text)), piece) for place, piece in insertions]
    edited, pieces = insert(text, places)
    assert cut(edited, pieces) == (text, [])


def test_a_piece_that_cannot_be_told_apart_is_left() -> None:
    edited, pieces = insert("x\n", [(0, "ours\n")])
    assert cut("new\n" + edited, pieces) == ("new\nx\n", [])
    assert cut("new\nours\n" + edited, pieces) == ("new\nours\nours\nx\n", ["ours\n"])
    assert cut("x\n", pieces) == ("x\n", ["ours\n"])


@pytest.mark.parametrize("before", [None, b"", b"a\r\nb", b"\xff\x00\n"])
def test_a_file_is_restored_to_the_byte_with_its_mode_and_its_folders(tmp_path: Path, before: bytes | None) -> None:
    path = tmp_path / "new" / "folder" / "file"
    if before is not None:
        path.parent.mkdir(parents=True)
        path.write_bytes(before)
        path.chmod(0o640)
    left, theirs = path.with_name("file.123.new"), path.with_name("file.mine.new")
    # Left by one that was killed.
    if before is not None:
        left.touch()
    PieceRecord(str(tmp_path)).insert(str(path), [(0, "ours\n")])
    assert path.read_bytes() == b"ours\n" + (before or b"")
    assert not left.exists()
    left.touch()
    theirs.touch()
    record = PieceRecord(str(tmp_path))
    entry = record.find(str(path))
    record.restore(str(path), cut(read(str(path)) or "", entry.pieces)[0])
    theirs.unlink()
    assert PieceRecord(str(tmp_path)).find(str(path)) is None
    if before is None:
        assert not path.exists()
    else:
        assert path.read_bytes() == before
        assert path.stat().st_mode & 0o777 == 0o640
    assert not left.exists()
    assert not (tmp_path / "smartcommit").exists()


def test_nothing_changes_unless_it_is_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    path.write_text("a\n")
    monkeypatch.setattr(state_files, "save_json", lambda *_: False)
    with pytest.raises(SmartcommitError, match="cannot write"):
        PieceRecord(str(tmp_path)).insert(str(path), [(0, "ours\n")])
    assert path.read_text() == "a\n"
