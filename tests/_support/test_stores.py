"""Addresses of files, what is shown of them, and stores that fail."""

import errno
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coterie._support.stores import (
    StoreProblem,
    exists,
    is_pattern,
    is_url,
    local_path,
    open_binary,
    read_all,
    retries,
    scrubbed,
    shown,
    stamp_of,
    suffix_of,
    unchanged,
    url_of,
)
from coterie.data import hide_passwords, shown_name
from coterie.errors import FileProblem, InvalidFile, InvalidParameter, MissingDependency, MissingFile
from file_servers import web_server

WORDS = st.text("abcdefghijklmnopqrstuvwxyz0123456789-", min_size=6, max_size=12)


@pytest.fixture
def web():
    with web_server() as server:
        yield server


@pytest.fixture
def short_pauses(monkeypatch):
    monkeypatch.setattr(retries, "PAUSES", (0.0, 0.0, 0.0))


def test_pathlib_does_not_break_addresses():
    """Law: an address is known again after pathlib has merged its slashes; a path is not an address."""
    for url in ("s3://bucket/a.csv", "https://example.org/a.csv", "memory://a.csv", "gs://b/*.csv"):
        assert url_of(Path(url)) == url_of(url) == url
    for path in ("a.csv", "/a/b.csv", "c:/a.csv", "s3", "s3/a.csv", "postgresql://host/db", "-"):
        assert not is_url(path)
    assert local_path("file:///a/b%20c.csv") == "/a/b c.csv"
    assert suffix_of("https://example.org/a.PARQUET?x=b.csv") == ".parquet"
    assert is_pattern("s3://bucket/2?/*.csv")
    assert not is_pattern("https://example.org/a.csv?version=*")


@given(WORDS, WORDS, WORDS)
def test_nothing_secret_is_ever_shown(user, password, signature):
    """Law: user, password and query of an address are in no text, whoever quotes the address."""
    user, password, signature = f"user.{user}", f"pass.{password}", f"sig.{signature}"
    url = f"https://{user}:{password}@example.org/rows.csv?X-Amz-Signature={signature}&id=5"
    quoted = f"GET {url} failed; see '{url}' and token X-Amz-Signature={signature}&id=5"
    for text in (shown(url), shown_name(url), scrubbed(quoted, url), hide_passwords(quoted, ["fit", url])):
        assert "example.org/rows.csv" in text
        assert not any(secret in text for secret in (user, password, signature))


def test_credentials_in_an_address_of_a_store_are_refused_unseen():
    """Law: keys in s3:// or memory:// are refused, and not quoted."""
    with pytest.raises(InvalidParameter, match="do not put credentials in a URL") as caught:
        read_all("memory://key:secret@place/a.csv")
    assert "secret" not in str(caught.value)


def test_missing_packages_are_named(monkeypatch):
    """Law: a scheme whose package is not there is refused with the extra that brings it."""
    import importlib

    from coterie._support import optional

    def without(name):
        if name in ("gcsfs", "adlfs", "s3fs"):
            raise ModuleNotFoundError(name=name)
        return importlib.import_module(name)

    monkeypatch.setattr(optional, "import_module", without)
    monkeypatch.setattr("coterie._support.stores.store._STORES", {})
    for scheme, package, extra in (("s3", "s3fs", "s3"), ("gs", "gcsfs", "gs"), ("az", "adlfs", "az")):
        with pytest.raises(MissingDependency, match=rf'{scheme}:// needs .* {package},.*\[{extra}\]"'):
            exists(f"{scheme}://bucket/a.csv")


def test_a_range_of_a_web_file_travels_alone(web):
    """Law: with ranges only what is read travels; the bytes are those of the file."""
    web.files["/a.bin"] = bytes(range(256)) * 1000
    with open_binary(f"{web.address}/a.bin") as file:
        file.seek(300)
        assert file.read(5) == bytes(range(44, 49))
        file.seek(-2, 2)
        assert file.read() == bytes((254, 255))
    assert [(verb, status) for verb, _, status in web.asked] == [("HEAD", 200), ("GET", 206), ("GET", 206)]


@pytest.mark.parametrize("has_head", [True, False])
def test_servers_without_ranges_are_copied_once(web, has_head):
    """Law: without ranges a file travels once; a server without HEAD is asked by GET."""
    web.files["/a.bin"], web.has_ranges, web.has_head = b"abcdefgh" * 100, False, has_head
    with open_binary(f"{web.address}/a.bin") as file:
        file.seek(8)
        assert file.read(3) + file.read(2) == b"abcde"
        file.seek(0)
        assert file.read() == web.files["/a.bin"]
    assert [status for verb, _, status in web.asked if verb == "GET" and status == 200] == [200] * (
        2 - has_head
    )


def test_copies_that_were_cut_off_are_made_again(web, short_pauses):
    """Law: half a copy is never taken for the file."""
    web.files["/a.bin"], web.has_ranges = bytes(range(256)) * 9000, False
    with open_binary(f"{web.address}/a.bin") as file:
        web.cut_off = 2
        assert file.read() == web.files["/a.bin"]


def test_copies_without_space_are_said_at_once(web, monkeypatch, tmp_path):
    """Law: a full disk is not taken for a bad network; nothing is left of the copy."""

    def full(_answer, file, _size):
        file.write(b"half")
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("coterie._support.stores.store._STORES", {})
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("shutil.copyfileobj", full)
    web.files["/a.bin"], web.has_ranges = b"abc" * 100, False
    with (
        open_binary(f"{web.address}/a.bin") as file,
        pytest.raises(FileProblem, match=r"a\.bin: its server gives no parts.*no space .*Set TMPDIR"),
    ):
        file.read()
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_store_that_fails_twice_is_asked_again(web, short_pauses):
    """Law: passing failures and answers cut off are tried again; the content is whole."""
    web.files["/a.csv"], web.failures = b"x\n" + b"1\n" * 500, 2
    assert read_all(f"{web.address}/a.csv") == web.files["/a.csv"]
    web.cut_off = 2
    assert read_all(f"{web.address}/a.csv") == web.files["/a.csv"]
    with open_binary(f"{web.address}/a.csv") as file:
        web.cut_off = 1
        assert file.read(100) == web.files["/a.csv"][:100]


def test_a_store_that_always_fails_is_given_up_in_words(web, short_pauses):
    """Law: after four tries the error names the file and what to do, without the query."""
    web.files["/a.csv"], web.failures = b"x\n1\n", -1
    with pytest.raises(
        StoreProblem, match=r"a\.csv: cannot be read, though tried 4 times .*503.*try again later"
    ) as e:
        read_all(f"{web.address}/a.csv?signature=secret")
    assert "secret" not in str(e.value)
    assert len(web.asked) == 4


def test_final_answers_are_not_tried_again(web):
    """Law: what is not there or not allowed is said at once."""
    web.files["/private/a.csv"] = b"x\n"
    with pytest.raises(MissingFile, match=r"nothing\.csv: there is no such file"):
        read_all(f"{web.address}/nothing.csv")
    with pytest.raises(FileProblem, match=r"private/a\.csv: no permission to read it"):
        read_all(f"{web.address}/private/a.csv")
    assert len(web.asked) == 2
    assert not exists(f"{web.address}/nothing.csv")


def test_nobody_listens(short_pauses):
    """Law: a server that is not there is an error in words."""
    with pytest.raises(StoreProblem, match=r"a\.csv: cannot be read, though tried 4 times"):
        read_all("http://127.0.0.1:9/a.csv")


@pytest.mark.parametrize("is_same_size", [True, False])
def test_a_file_that_changes_while_it_is_read_is_refused(web, tmp_path, is_same_size):
    """Law: another size, or another tag or time, is a change; what was read is not used."""
    before, after = b"x\n1\n2\n", b"x\n1\n3\n" if is_same_size else b"x\n1\n2\n3\n"
    local = tmp_path / "a.csv"
    places = {str(local): local.write_bytes, f"{web.address}/a.csv": partial(web.files.__setitem__, "/a.csv")}
    for place, write in places.items():
        write(before)
        stamp = stamp_of(place)
        with unchanged(place, stamp):
            pass
        with pytest.raises(InvalidFile, match=r"a\.csv: has changed since it was"), unchanged(place, stamp):
            write(after)
        with pytest.raises(InvalidFile, match="has changed since"), unchanged(place, stamp):
            raise OSError("whatever the change led to")
    stamp = stamp_of(local)
    with pytest.raises(MissingFile, match=r"a\.csv: has vanished while"), unchanged(str(local), stamp):
        local.unlink()
