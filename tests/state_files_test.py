"""Files get the new content whole."""

import os
import resource
import shutil
import stat
import threading
from pathlib import Path

import pytest

from smartcommit.errors import SmartcommitError
from smartcommit.file_lock import HeldLock
from smartcommit.state_files import drop, find_path, load, load_json, remove_all, replace_file, save, save_json
from tests.support.table import rows


def test_the_mode_stays_and_a_link_is_followed(tmp_path: Path) -> None:
    file, link = tmp_path / "file", tmp_path / "link"
    file.write_bytes(b"old")
    file.chmod(0o600)
    link.symlink_to("file")
    replace_file(str(link), b"new")
    assert link.is_symlink()
    assert file.read_bytes() == b"new"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_file_that_cannot_be_written_is_named_and_stays(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"old")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50, before[1]))
    try:
        with pytest.raises(OSError, match="File too large") as failed:
            replace_file(str(file), b"new" * 50)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert failed.value.filename == str(file)
    assert os.listdir(tmp_path) == ["file"]
    assert file.read_bytes() == b"old"


def test_a_pipe_is_written_to_and_stays_one(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    heard: list[bytes] = []
    reader = threading.Thread(target=lambda: heard.append(pipe.read_bytes()))
    reader.start()
    replace_file(str(pipe), b"plan")
    reader.join()
    assert heard == [b"plan"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_file_that_a_killed_process_was_writing_is_no_obstacle(tmp_path: Path) -> None:
    """The process that writes now may have its id."""
    file, left = tmp_path / "file", tmp_path / f"file.{os.getpid()}.new"
    left.write_bytes(b"half")
    replace_file(str(file), b"new")
    assert file.read_bytes() == b"new"
    assert not left.exists()


def test_nothing_stays_beside_a_file_that_cannot_be_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*paths: str) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="Read-only"):
        replace_file(str(tmp_path / "file"), b"new")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    "content", [b"", b"{", b"\xff", b"[]", b"null", b"3", b'{"other": 1}', b'{"pairs": 1}', b"[" * 100_000]
)
def test_json_that_is_damaged_or_of_another_shape_counts_as_missing(tmp_path: Path, content: bytes) -> None:
    def read(found: dict[str, list[int]]) -> list[int]:
        return [number + 1 for number in found["pairs"]]

    assert save(str(tmp_path), "servers.json", content)
    assert load_json(str(tmp_path), "servers.json", read) is None
    assert save_json(str(tmp_path), "servers.json", {"pairs": [1, 2]})
    assert load_json(str(tmp_path), "servers.json", read) == [2, 3]
    assert load(str(tmp_path), "servers.json") == b'{"pairs": [1, 2]}'


def test_a_planted_link_or_pipe_is_replaced_and_never_opened(tmp_path: Path) -> None:
    outside, planted = tmp_path / "outside", Path(find_path(str(tmp_path), "failure.log"))
    outside.write_bytes(b"keep")
    planted.parent.mkdir()
    for plant in (planted.symlink_to, lambda target: os.mkfifo(planted)):
        plant(outside)
        assert load(str(tmp_path), "failure.log") is None
        with pytest.raises(SmartcommitError, match="cannot open the lock"), HeldLock(str(planted)):
            pass
        assert save(str(tmp_path), "failure.log", b"new")
        assert (outside.read_bytes(), planted.read_bytes(), planted.is_symlink()) == (b"keep", b"new", False)
        planted.unlink()


def test_a_folder_that_is_a_link_is_not_entered(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "failure.log").write_bytes(b"keep")
    (tmp_path / "smartcommit").symlink_to(outside)
    assert load(str(tmp_path), "failure.log") is None
    assert not save(str(tmp_path), "failure.log", b"new")
    drop(str(tmp_path), "failure.log")
    assert (outside / "failure.log").read_bytes() == b"keep"


@rows(
    ("stored", "left"),
    (["draft.json", "hooks.lock"], []),
    (["refused-message"], ["the message that was refused last:\nkept"]),
    (["ledger/one"], ["'{}/ledger' stays, for 'smartcommit session'"]),
    (["ledger/", "draft.json"], []),
)
def test_what_a_command_needs_and_messages_outlive_the_rest(tmp_path: Path, stored: list[str], left: list[str]) -> None:
    folder = tmp_path / "smartcommit"
    for name in stored:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        if name.endswith("/"):
            (folder / name).mkdir()
        else:
            (folder / name).write_text("kept")
    assert remove_all(str(tmp_path)) == [line.format(folder) for line in left]
    assert folder.exists() == ("stays" in "".join(left))
    shutil.rmtree(folder, ignore_errors=True)
