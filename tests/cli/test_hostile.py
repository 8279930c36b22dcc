"""Nothing that a file, its name or a full disk can do gives more than one line and an exit code."""

import gzip
import io
import os
import pty
import resource
import subprocess
import sys
import zipfile

import numpy as np
import polars as pl
import pytest

ROWS = "\n".join(f"{value},{value + 1}" for value in (0, 1, 0, 9, 8, 9, 0, 1, 9, 8))


def shell(*arguments, folder, **how):
    """Run a command in a process of its own; names of files may be any bytes."""
    command = [sys.executable, "-m", "coterie", *arguments]
    return subprocess.run(command, cwd=folder, capture_output="stdout" not in how, check=False, **how)


def test_groups_stand_at_the_rows_of_the_file(tmp_path, cli):
    """Law: -o has a line per row of the file, empty for a row without values, and the others in place."""
    rows = [f"{value},{value}" for value in (0, 1, 0, 9, 8, 9, 0, 1)]
    lines = [*rows[:2], ",", *rows[2:4], "", *rows[4:]]
    (tmp_path / "t.csv").write_text("a,b\n" + "\n".join(lines) + "\n\n")
    out = tmp_path / "g.csv"
    code, _, error = cli("fit", tmp_path / "t.csv", "-k", 2, "--missing", "drop", "-o", out)
    assert (code, error) == (0, "")
    groups = pl.read_csv(out)
    assert groups["row"].to_list() == list(range(1, len(lines) + 1))
    assert [row for row, label, group in groups.iter_rows() if label is None and group is None] == [3, 6]
    low = set(groups.filter(pl.col("row").is_in([1, 2, 4, 9, 10]))["group"])
    high = set(groups.filter(pl.col("row").is_in([5, 7, 8]))["group"])
    assert len(low) == len(high) == 1
    assert low != high


def test_messages_count_the_rows_of_the_file(tmp_path, cli):
    """Law: the row that a message names is that of the file, also after a row without values."""
    (tmp_path / "t.csv").write_text("a,b\n1,2\n,\n3,4\n5,\n6,7\n")
    code, _, error = cli("fit", tmp_path / "t.csv", "-k", 2, "--missing", "refuse")
    assert code == 2
    assert "(rows 2, 4)" in error


@pytest.mark.parametrize("header", ["{x},b", "<5 min,b", "<b>,c", "[x],b", "{},b"])
def test_headers_that_begin_like_another_format(tmp_path, cli, header):
    """Law: a table is no JSON and no HTML because its first name begins with a bracket."""
    (tmp_path / "t.csv").write_text(f"{header}\n{ROWS}\n")
    code, out, error = cli("fit", tmp_path / "t.csv", "-k", 2, "--json")
    assert (code, error) == (0, "")
    assert header.split(",")[0] in out


@pytest.mark.parametrize(
    "text",
    ["<!DOCTYPE html>\n<html></html>", '<?xml version="1.0"?>\n<a/>', "<rows>\n<row>1</row>\n</rows>\n"],
)
def test_other_formats_are_named(tmp_path, cli, text):
    """Law: HTML and XML are still told from tables."""
    (tmp_path / "t.csv").write_text(text)
    code, _, error = cli("fit", tmp_path / "t.csv", "-k", 2)
    assert code == 2
    assert "looks like HTML or XML, not like a table." in error


@pytest.mark.parametrize("kind", ["parquet", "arrow", "stream"])
def test_damaged_columnar_files(tmp_path, kind):
    """Law: whatever byte of a file is wrong, the answer is a table or one line; nothing else is printed."""
    frame = pl.DataFrame({"x": [1.0, 2.0, 4.0] * 9, "t": ["a", "b", None] * 9})
    buffer = io.BytesIO()
    {"parquet": frame.write_parquet, "arrow": frame.write_ipc, "stream": frame.write_ipc_stream}[kind](buffer)
    whole = buffer.getvalue()
    rng = np.random.default_rng(0)
    for number in range(150):
        content = bytearray(whole)
        for place in rng.integers(0, len(content), size=rng.integers(1, 5)):
            content[place] = rng.integers(0, 256)
        (tmp_path / f"{number:03d}.{kind}").write_bytes(bytes(content))
    program = (
        "import pathlib, sys\nfrom coterie.errors import CoterieError\nfrom coterie.data import read_table\n"
        "for path in sorted(pathlib.Path(sys.argv[1]).iterdir()):\n"
        "    try:\n        read_table(path)\n"
        "    except CoterieError:\n        pass\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path)], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.parametrize("n_columns", [100_000, 250_000])
def test_very_wide_text(tmp_path, n_columns, monkeypatch):
    """Law: a table of 100,000 columns is read; far more are refused with the way out."""
    from coterie.data import read_table
    from coterie.errors import InvalidFile

    lines = [",".join(f"c{i}" for i in range(n_columns)), *[",".join(["1"] * n_columns)] * 2]
    (tmp_path / "wide.csv").write_text("\n".join(lines))
    if n_columns == 100_000:
        assert len(read_table(tmp_path / "wide.csv").columns) == n_columns
    else:
        with pytest.raises(InvalidFile, match=r"250,000 columns; text may have at most 200,000. Save it as"):
            read_table(tmp_path / "wide.csv")


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/urandom"])
def test_devices_without_end(cli, device):
    """Law: what never ends is not read to the end of memory."""
    code, _, error = cli("fit", device, "-k", 2)
    assert (code, error) == (2, f"coterie: {device}: is a device that gives no text, not a table.\n")


def test_a_small_file_that_unpacks_to_a_large_one(tmp_path, cli, monkeypatch):
    """Law: unpacking stops at a limit, the message says how to raise it, and raising it helps."""
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(b"1,2\n3,4\n" * 400_000, mtime=0))
    monkeypatch.setenv("COTERIE_READ_LIMIT", "1M")
    code, _, error = cli("fit", tmp_path / "t.csv.gz", "-k", 2)
    assert code == 2
    assert "has more than 1.0 MiB; at most 1.0 MiB are read into memory here." in error
    assert "COTERIE_READ_LIMIT=2M" in error
    monkeypatch.setenv("COTERIE_READ_LIMIT", "8M")
    assert cli("fit", tmp_path / "t.csv.gz", "-k", 2)[0] == 0
    for wrong in ("many", "0", "0G", "-1"):
        monkeypatch.setenv("COTERIE_READ_LIMIT", wrong)
        assert f"must be a size such as 500M or 8G, got '{wrong}'" in cli("fit", tmp_path / "t.csv.gz")[2]


def test_the_limit_follows_the_memory_that_is_free(tmp_path, cli, monkeypatch):
    """Law: without a word from the user the limit is a share of what is free; archives obey it too."""
    from coterie.data.files import source

    monkeypatch.setattr(source, "available_memory", lambda: 1 << 22)
    (tmp_path / "t.csv").write_bytes(b"1,2\n3,4\n" * 400_000)
    np.savez_compressed(tmp_path / "t.npz", X=np.zeros((200_000, 2)))
    assert "t.csv: has 3.1 MiB; at most 1.0 MiB are read" in cli("fit", tmp_path / "t.csv", "-k", 2)[2]
    assert "t.npz: has 3.1 MiB when unpacked; at most" in cli("fit", tmp_path / "t.npz", "-k", 2)[2]


def test_a_pipe_without_end(tmp_path):
    """Law: standard input that never ends is read to the limit, no further."""
    with subprocess.Popen(["yes", "1,2"], stdout=subprocess.PIPE) as endless:
        done = shell(
            "fit", "-", "-k", "2", folder=tmp_path, stdin=endless.stdout,
            env={**os.environ, "COTERIE_READ_LIMIT": "4M"},
        )  # fmt: skip
        endless.kill()
    assert done.returncode == 2
    assert done.stderr.startswith(b"coterie: standard input: has more than 4.0 MiB; at most")


def test_a_cell_of_megabytes_gives_a_short_message(tmp_path, cli):
    """Law: no message is longer than a person reads, whatever cell or name it quotes."""
    long = "x" * 5_000_000
    (tmp_path / "cell.csv").write_text("a,b\n" + f"{ROWS}\n" * 3 + f"{long},3\n")
    (tmp_path / "name.csv").write_text(f"{long},b\n{ROWS}\n")
    for arguments in (
        ("fit", "cell.csv", "-k", "2", "--keep", "a"),
        ("fit", "name.csv", "-k", "2", "--drop", "nothing"),
        ("fit", "name.csv", "-k", "2", "--keep", long[:10_000]),
        ("fit", "cell.csv", "-k", "2", "--drop", "b"),
    ):
        code, out, error = cli(arguments[0], tmp_path / arguments[1], *arguments[2:])
        assert code == 2, arguments[:2]
        assert len(out) + len(error) < 2_500, arguments[:2]
    code, out, _ = cli("fit", tmp_path / "name.csv", "-k", 2)
    assert code == 0
    assert len(out) < 200_000


def test_a_name_that_is_not_utf8(tmp_path):
    """Law: names of any bytes are read, written and told, with the byte as an escape."""
    table = os.path.join(os.fsencode(tmp_path), b"caf\xe9.csv")
    with open(table, "w") as file:
        file.write(f"a,b\n{ROWS}\n")
    outputs = [b"-o", b"g\xe9.csv", b"--save", b"m\xe9.safetensors", b"--report", b"r\xe9.html"]
    done = shell("fit", b"caf\xe9.csv", "-k", "2", *outputs, folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")
    assert rb"caf\xe9.csv   10 rows" in done.stdout
    assert rb"written to r\xe9.html" in done.stdout
    there = os.listdir(os.fsencode(tmp_path))
    assert set(there) == {b"caf\xe9.csv", b"g\xe9.csv", b"m\xe9.safetensors", b"r\xe9.html"}
    done = shell("predict", b"m\xe9.safetensors", b"caf\xe9.csv", folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")
    done = shell("fit", b"no\xe9.csv", folder=tmp_path)
    assert done.stderr.startswith(rb"coterie: no\xe9.csv: no such file.")


EVIL = "\x1b[2J\u202e\x07\x9b"
SHOWN = r"\x1b[2J\u202e\x07\x9b"


@pytest.mark.parametrize(
    "arguments",
    [
        ("fit", "-k", "2"),
        ("fit", "--budget", "fast"),
        ("select", "-k", "1..3"),
        ("compare", "--methods", "kmeans", "-k", "2", "--budget", "fast"),
        ("tree", "--cut", "2"),
        ("fit", "-k", "99"),
        ("fit", "-k", "2", "--drop", "nothing"),
    ],
)
def test_a_terminal_obeys_no_name(tmp_path, monkeypatch, cli, arguments):
    """Law: names of files and columns, and cells, reach the screen as escapes, never as what they do."""
    monkeypatch.chdir(tmp_path)
    name = f"{EVIL}.csv"
    (tmp_path / name).write_text(f"a{EVIL},b{EVIL},t{EVIL}\n" + ROWS.replace("\n", f",{EVIL}\n") + ",x\n")
    command, *rest = arguments
    _, out, error = cli(command, name, *rest)
    assert not set(out + error) & set(EVIL) - set("[2J")
    assert SHOWN in out + error


def test_on_a_terminal_only_our_own_colours(tmp_path):
    """Law: on a terminal there are colours, and progress, but nothing that a name says."""
    (tmp_path / f"{EVIL}.csv").write_text(f"a{EVIL},b\n{ROWS}\n")
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "coterie", "fit", f"{EVIL}.csv", "-k", "2"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=theirs, stderr=theirs) as running:
        os.close(theirs)
        seen = b""
        while True:
            try:
                part = os.read(ours, 4096)
            except OSError:
                break
            if not part:
                break
            seen += part
    os.close(ours)
    assert running.returncode == 0
    assert b"\x1b[1;3" in seen
    assert SHOWN.encode() in seen
    assert b"\x1b[2J" not in seen
    assert EVIL[4:].encode() not in seen


def test_data_in_a_pipe_stay_as_they_are(tmp_path):
    """Law: what is data, not text for people, keeps every byte: printed groups and the files."""
    keys = [f"{EVIL[:5]}{number}" for number in range(10)]
    lines = [f"{key},{row}" for key, row in zip(keys, ROWS.split("\n"), strict=True)]
    (tmp_path / "t.csv").write_text("id,a,b\n" + "\n".join(lines) + "\n")
    assert (
        shell("fit", "t.csv", "-k", "2", "--save", "m.safetensors", "-o", "g.csv", folder=tmp_path).returncode
        == 0
    )
    printed = shell("predict", "m.safetensors", "t.csv", folder=tmp_path).stdout
    assert keys[0].encode() in printed
    assert keys[0] in (tmp_path / "g.csv").read_text()


def test_a_report_turns_no_text(tmp_path, cli):
    """Law: direction characters stand in a report as escapes, in its text and in its data."""
    (tmp_path / "t.csv").write_text(f"a{EVIL},b\n{ROWS}\n")
    assert cli("fit", tmp_path / "t.csv", "-k", 2, "--report", tmp_path / "r.html")[0] == 0
    page = (tmp_path / "r.html").read_text()
    assert f"a{SHOWN}" in page
    data = page.split('id="facts">')[1].split("</script>")[0]
    assert "\u202e" not in page.split('id="plotly"')[0]
    assert r"\\u202e" in data


@pytest.mark.parametrize(
    ("option", "name"),
    [
        ("-o", "g.csv"),
        ("-o", "g.tsv"),
        ("-o", "g.npy"),
        ("-o", "g.parquet"),
        ("--save", "m.safetensors"),
        ("--report", "r.html"),
    ],
)
def test_a_full_device_in_words(tmp_path, cli, option, name):
    """Law: a device without space is one line that says so, and it stays the device it is."""
    (tmp_path / "t.csv").write_text(f"a,b\n{ROWS}\n")
    (tmp_path / name).symlink_to("/dev/full")
    code, _, error = cli("fit", tmp_path / "t.csv", "-k", 2, option, tmp_path / name)
    assert code == 2
    assert f"{name}: cannot be written: no space is left on the disk, or a quota is reached." in error
    assert error.count("\n") == 1
    assert (tmp_path / name).is_symlink()
    assert not os.path.isfile("/dev/full")


@pytest.mark.parametrize("way", ["-o g.csv", "-o g.npy", "--save m.safetensors", "--report r.html"])
def test_a_full_disk_in_words(tmp_path, way):
    """Law: a disk that is full half way is one line that says so, and nothing is left behind."""
    (tmp_path / "t.csv").write_text("a,b\n" + f"{ROWS}\n" * 300)
    done = shell(
        "fit", "t.csv", "-k", "2", *way.split(), folder=tmp_path,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64)),
    )  # fmt: skip
    assert done.returncode == 2
    name = way.split()[1].encode()
    assert name + b": cannot be written: no space is left on the disk" in done.stderr
    assert done.stderr.count(b"\n") == 1
    assert os.listdir(tmp_path) == ["t.csv"]


@pytest.mark.parametrize("more", [(), ("--json",)])
def test_standard_output_that_cannot_be_written(tmp_path, more):
    """Law: a full standard output is one line and code 1; one that nobody reads is quiet."""
    (tmp_path / "t.csv").write_text(f"a,b\n{ROWS}\n")
    with open("/dev/full", "w") as full:
        done = shell("fit", "t.csv", "-k", "2", *more, folder=tmp_path, stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 1
    assert done.stderr == b"coterie: standard output cannot be written (No space left on device).\n"
    closed = f'"{sys.executable}" -m coterie fit t.csv -k 2 {" ".join(more)}'
    for tail in (">&-", "| head -c 1 > first"):
        done = subprocess.run(f"{closed} {tail}", shell=True, cwd=tmp_path, capture_output=True, check=False)
        assert (done.returncode, done.stderr) == (0, b"")
    with open("/dev/full", "w") as full:
        done = shell("fit", "nowhere.csv", folder=tmp_path, stdout=subprocess.PIPE, stderr=full)
    assert done.returncode == 2


@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_formulas_in_exported_text(tmp_path, cli, ending):
    """Law: keys are written as they are; --escape-formulas puts an apostrophe before a formula."""
    keys = ["=cmd", "+cmd", "-cmd", "@cmd", "a=b", "k5", "k6", "k7", "k8", "k9"]
    lines = [f"{key},{row}" for key, row in zip(keys, ROWS.split("\n"), strict=True)]
    (tmp_path / "t.csv").write_text("id,a,b\n" + "\n".join(lines) + "\n")
    plain, safe, model = tmp_path / f"p.{ending}", tmp_path / f"s.{ending}", tmp_path / "m.safetensors"
    sign = "\t" if ending == "tsv" else ","
    assert cli("fit", tmp_path / "t.csv", "-k", 2, "-o", plain, "--save", model)[0] == 0
    assert cli("fit", tmp_path / "t.csv", "-k", 2, "-o", safe, "--escape-formulas")[0] == 0
    assert pl.read_csv(plain, separator=sign)["id"].to_list() == keys
    escaped = ["'=cmd", "'+cmd", "'-cmd", "'@cmd", *keys[4:]]
    assert pl.read_csv(safe, separator=sign)["id"].to_list() == escaped
    _, out, _ = cli("predict", model, tmp_path / "t.csv", "--escape-formulas")
    assert pl.read_csv(io.StringIO(out))["id"].to_list() == escaped
    assert cli("tree", tmp_path / "t.csv", "--cut", 2, "-o", safe, "--force", "--escape-formulas")[0] == 0
    assert pl.read_csv(safe, separator=sign)["id"].to_list() == escaped


def npy(header, data=b""):
    text = header.encode() + b" " * (118 - len(header)) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + data


def packed(**members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def pickled():
    buffer = io.BytesIO()
    np.save(buffer, np.array([[{}]], dtype=object), allow_pickle=True)
    return buffer.getvalue()


GZIPPED = gzip.compress(b"a,b\n1,2\n3,4\n9,9\n", mtime=0)
SHAPED = "{'descr': '<f8', 'fortran_order': False, 'shape': %s, }"
HOSTILE = {
    "zero bytes.csv": b"a,b\n1,2\x00\n3,4\n",
    "no bom.csv": "a,b\n1,2\n3,4\n5,6\n".encode("utf-16-le"),
    "open quote.csv": b'a,b\n1,"2\n3,4\n5,6\n',
    "only quotes.csv": b'""\n""\n',
    "short rows.csv": b"a,b,c\n1,2\n3,4\n",
    "long row.csv": b"a,b\n1,2\n" + b"," * 1_000_000 + b"\n",
    "only delimiters.csv": b",,,\n" * 5,
    "other digits.csv": "a,b\n١,٢\n٣,٤\n".encode(),
    "latin.csv": b"a,b\n1,\xff\n3,\xfe\n",
    "cut.csv.gz": GZIPPED[:-9],
    "garbage.csv.gz": GZIPPED + b"abc",
    "twice.csv.gz": gzip.compress(GZIPPED),
    "pickle.npy": pickled(),
    "huge.npy": npy(SHAPED % "(1000000000, 1000000)"),
    "promises.npy": npy(SHAPED % "(1000, 100)", b"12345678"),
    "negative.npy": npy(SHAPED % "(-1, 3)", b"12345678" * 9),
    "nested.npy": npy("[" * 100 + "]" * 10),
    "words.npy": npy("__import__('os')"),
    "records.npy": npy("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (2,), }", b"1" * 16),
    "path.npz": packed(**{"../../X.npy": b"abc"}),
    "no arrays.npz": packed(readme=b"abc"),
    "damaged.npz": packed(**{"X.npy": npy(SHAPED % "(10, 10)")}),
    "sheet.xlsx": packed(**{"xl/workbook.xml": b"<x/>"}),
    "sheet.csv": packed(**{"xl/workbook.xml": b"<x/>"}),
    "empty.xlsx": b"PK\x05\x06" + b"\x00" * 18,
    "old.xls": b"\xd0\xcf\x11\xe0" + b"\x00" * 600,
    "head.parquet": b"PAR1" + b"\x00" * 40 + b"\xff\xff\xff\x7fPAR1",
    "head.arrow": b"ARROW1\x00\x00" + b"\xff" * 80 + b"ARROW1",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_get_one_line(tmp_path, cli, name):
    """Law: no file, however wrong, gives a traceback, more than one line, or another code than 2."""
    (tmp_path / name).write_bytes(HOSTILE[name])
    code, out, error = cli("fit", tmp_path / name, "-k", 2)
    assert (code, out) == (2, "")
    assert error.startswith("coterie: ")
    assert "failed:" not in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "n_rows"),
    [
        ("a,b\r1,2\r3,4\n5,6\r\n7,9", 4),
        ("a,a,a\n1,2,3\n3,4,9\n8,8,8\n", 3),
        ("a,b\n1,2\n\ufeff3,4\n5,6\n" + "7,8\n" * 9, 12),
        ("a,b\n1e400,2\n3,4\n5,6\n", 3),
        (f"a,b\n{10**40},2\n{10**40 + 1},3\n5,6\n", 3),
        (f"a,b\n{'9' * 200_000},2\n3,4\n5,6\n", 3),
    ],
)
def test_odd_tables_are_read(tmp_path, text, n_rows):
    """Law: mixed line ends, repeated names, marks in the middle and numbers of any length are read."""
    from coterie.data import read_table

    (tmp_path / "t.csv").write_bytes(text.encode())
    assert read_table(tmp_path / "t.csv").n_rows == n_rows


def test_directories_and_sockets(tmp_path, cli):
    """Law: what is not a file is named as what it is, or as what cannot be read."""
    import socket

    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "s"))
        code, _, error = cli("fit", tmp_path / "s", "-k", 2)
    assert code == 2
    assert "s: cannot be read (No such device or address)." in error
    (tmp_path / "empty").mkdir()
    code, _, error = cli("fit", tmp_path / "empty", "-k", 2)
    assert code == 2
    assert "holds no file that ends in one of" in error
