"""Outputs: whole or not at all, never over an existing file unless told so."""

import os
import stat

import pytest

from coterie._support.files import atomic_path, check_output
from coterie.errors import ExistingFile, FileProblem


def test_a_finished_block_leaves_the_file_and_nothing_else(tmp_path):
    """Law: after success there is the file, with the usual mode, and no temporary one."""
    with atomic_path(tmp_path / "a.txt") as temporary:
        temporary.write_text("whole")
    (tmp_path / "usual").touch()
    assert sorted(os.listdir(tmp_path)) == ["a.txt", "usual"]
    assert (tmp_path / "a.txt").read_text() == "whole"
    assert stat.S_IMODE((tmp_path / "a.txt").stat().st_mode) == stat.S_IMODE(
        (tmp_path / "usual").stat().st_mode
    )


@pytest.mark.parametrize("failure", [RuntimeError, KeyboardInterrupt])
def test_a_failed_block_leaves_nothing(tmp_path, failure):
    """Law: after a failure or Ctrl-C nothing is left, and an older file is as it was."""
    (tmp_path / "old.txt").write_text("old")

    def fail_half_way():
        with atomic_path(tmp_path / "old.txt", force=True) as temporary:
            temporary.write_text("ha")
            raise failure("half")

    with pytest.raises(failure, match="half"):
        fail_half_way()
    assert os.listdir(tmp_path) == ["old.txt"]
    assert (tmp_path / "old.txt").read_text() == "old"


def test_existing_files_are_kept_unless_forced(tmp_path):
    """Law: an existing file is refused, in the words of Python and of the shell; force replaces it."""
    path = tmp_path / "a.txt"
    path.write_text("old")
    with pytest.raises(ExistingFile, match=r"a.txt exists. Use force=True to replace it.") as caught:
        check_output(path)
    assert caught.value.shell_text == f"{path} exists. Use --force to replace it."
    with atomic_path(path, force=True) as temporary:
        temporary.write_text("new")
    assert path.read_text() == "new"


def test_a_file_that_appears_meanwhile_is_kept(tmp_path):
    """Law: what somebody else wrote during the work is not overwritten."""
    path = tmp_path / "a.txt"

    def be_too_late():
        with atomic_path(path) as temporary:
            temporary.write_text("ours")
            path.write_text("theirs")

    with pytest.raises(ExistingFile, match="appeared while the work was running"):
        be_too_late()
    assert path.read_text() == "theirs"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_links_stay_links(tmp_path):
    """Law: writing through a link replaces what it points to."""
    (tmp_path / "real.txt").write_text("old")
    (tmp_path / "link.txt").symlink_to("real.txt")
    with atomic_path(tmp_path / "link.txt", force=True) as temporary:
        temporary.write_text("new")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_text() == "new"


def test_places_that_cannot_be_written(tmp_path, monkeypatch):
    """Law: a directory, a missing folder, a forbidden folder and a full disk are told apart."""
    with pytest.raises(FileProblem, match="is a directory; name a file in it"):
        check_output(tmp_path)
    with pytest.raises(FileProblem, match=r"the folder .*nowhere does not exist"):
        check_output(tmp_path / "nowhere" / "a.txt")
    with pytest.raises(FileProblem, match="cannot be written"), atomic_path(tmp_path / "a.txt"):
        raise OSError(28, "No space left on device")
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(FileProblem, match="no permission to write in"):
        check_output(tmp_path / "a.txt")


def test_devices_are_written_directly():
    """Law: /dev/null and its like need no force and get no temporary neighbour."""
    with atomic_path("/dev/null") as path:
        assert str(path) == "/dev/null"
