"""What kill -9 leaves behind: the next process removes it, and nothing that is in use or somebody else's."""

import gzip
import os
import signal
import subprocess
import sys
import time

import pytest

from coterie._support.leftovers import folder_prefix, is_part, part_name

KILLED = """
import os, signal, sys
import coterie
from coterie._support.files import atomic_path
from coterie.data.databases.spool import Spool
from coterie.scale.sources.unpacking import unpack
from coterie._support.stores import stamp_of

what, folder = sys.argv[1:]
packed = os.path.join(folder, "rows.csv.gz")
kept = Spool("shop.db"), unpack(packed, None, stamp_of(packed))
with atomic_path(os.path.join(folder, "groups.safetensors"), force=True) as temporary:
    temporary.write_bytes(b"half of it")
    if what == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if what == "waits":
        print("ready", flush=True)
        sys.stdin.read()
    temporary.write_bytes(b"whole")
"""


def start(what, folder, temporary, **options):
    environment = {**os.environ, "TMPDIR": str(temporary)}
    return subprocess.Popen([sys.executable, "-c", KILLED, what, str(folder)], env=environment, **options)


@pytest.fixture
def places(tmp_path):
    """Return a folder with a packed table, and one for temporary files."""
    folder, temporary = tmp_path / "work", tmp_path / "temporary"
    folder.mkdir()
    temporary.mkdir()
    (folder / "rows.csv.gz").write_bytes(gzip.compress(b"x,y\n1,2\n3,4\n"))
    return folder, temporary


def test_the_next_run_removes_what_a_killed_one_left(places):
    """Law: half a file, spooled and unpacked rows of a killed process are gone after the next one."""
    folder, temporary = places
    assert start("killed", folder, temporary).wait() == -signal.SIGKILL
    assert sum(is_part(name) for name in os.listdir(folder)) == 1
    assert len(os.listdir(temporary)) == 2
    assert start("ends", folder, temporary).wait() == 0
    assert sorted(os.listdir(folder)) == ["groups.safetensors", "rows.csv.gz"]
    assert (folder / "groups.safetensors").read_bytes() == b"whole"
    assert os.listdir(temporary) == []


def test_what_a_running_process_writes_stays(places):
    """Law: files and folders of a process that is at work are not touched, whoever runs beside it."""
    folder, temporary = places
    beside = start("waits", folder, temporary, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    beside.stdout.readline()
    before = {*os.listdir(temporary)}
    assert start("ends", folder, temporary).wait() == 0
    assert {*os.listdir(temporary)} == before
    assert sum(is_part(name) for name in os.listdir(folder)) == 1
    beside.communicate()
    assert beside.returncode == 0
    assert sorted(os.listdir(folder)) == ["groups.safetensors", "rows.csv.gz"]


def test_other_machines_and_other_names_stay(places):
    """Law: a file that another machine began stays for a day; files that are not ours stay for ever."""
    folder, temporary = places
    own = part_name("a.csv").split(".")
    away = [f".{letter}.csv.00000000-1.0123abcd.part" for letter in "ab"]
    away += [f".c.csv.{own[3]}.part", ".d.part"]
    for name in away:
        (folder / name).touch()
    (temporary / "coterie-rows-00000000-1-abc").mkdir()
    (temporary / "coterie-rows-of-mine").mkdir()
    os.utime(folder / away[1], (time.time() - 90_000,) * 2)
    assert start("ends", folder, temporary).wait() == 0
    assert {*os.listdir(folder)} & {*away} == {away[0], *away[2:]}
    assert sorted(os.listdir(temporary)) == ["coterie-rows-00000000-1-abc", "coterie-rows-of-mine"]
    assert folder_prefix("rows").startswith("coterie-rows-")
