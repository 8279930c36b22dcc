"""Data by their address: the same rows, the same answer, nothing secret shown, and outputs in stores."""

import io
import json

import fsspec
import numpy as np
import polars as pl
import pytest
from distributed import Client, LocalCluster

import coterie
from coterie._support.stores import StoreProblem, retries
from coterie._support.stores import store as stores
from coterie.cli.app import run
from coterie.data import paths as data_paths
from coterie.data import read_table
from coterie.errors import ExistingFile, FileProblem, MissingFile
from coterie.scale import KMeans, read_blocks
from coterie.scale import fit as fit_blocks
from coterie.scale.placing import write_groups
from file_servers import s3_server, web_server
from source_files import NAMES, rows_in

WRITERS = {
    "parquet": lambda frame, file: frame.write_parquet(file, row_group_size=3000),
    "csv": lambda frame, file: frame.write_csv(file),
    "arrow": lambda frame, file: frame.write_ipc(file),
    "npy": lambda frame, file: np.save(file, np.asfortranarray(frame.to_numpy())),
}


@pytest.fixture(scope="module")
def files(rows):
    """Return the rows in two files of each kind: bytes by name."""
    found = {}
    for kind, write in WRITERS.items():
        for part, some in enumerate((rows[:7000], rows[7000:])):
            file = io.BytesIO()
            write(pl.DataFrame(some, schema=NAMES), file)
            found[f"{kind}/{part}.{kind}"] = file.getvalue()
    found["small/0.csv"] = pl.DataFrame(rows[:300], schema=NAMES).write_csv().encode()
    return found


@pytest.fixture
def memory(files):
    """Give the same files in memory://."""
    store = fsspec.filesystem("memory")
    for name, content in files.items():
        store.pipe_file(f"/data/{name}", content)
    yield store
    store.store.clear()
    store.pseudo_dirs[:] = [""]


@pytest.fixture
def web(files):
    with web_server() as server:
        server.files = {f"/{name}": content for name, content in files.items()}
        yield server


@pytest.fixture(scope="module")
def bucket(files):
    """Give the same files in a bucket of a server that speaks S3."""
    with s3_server():
        store = fsspec.filesystem("s3", skip_instance_cache=True)
        store.mkdir("bucket")
        for name, content in files.items():
            store.pipe_file(f"bucket/data/{name}", content)
        yield "s3://bucket/data"


def check_places(places, rows):
    """Assert that blocks and table of each place are the rows."""
    for place in places:
        assert np.array_equal(rows_in(read_blocks(place)), rows), place
        table = read_table(place)
        assert np.array_equal(table.matrix(table.columns), rows), place


@pytest.mark.parametrize("kind", WRITERS)
def test_files_in_memory_are_the_rows(kind, rows, memory):
    """Law: folder, pattern and list give the rows that local files give, in blocks and as a table."""
    folder = f"memory://data/{kind}"
    check_places([folder, f"{folder}/*.{kind}", [f"{folder}/0.{kind}", f"{folder}/1.{kind}"]], rows)


@pytest.mark.parametrize("kind", WRITERS)
def test_files_of_a_web_server_are_the_rows(kind, rows, web):
    """Law: with ranges, and without them; what stands behind the ? is not part of the name."""
    for web.has_ranges in (True, False):
        check_places([[f"{web.address}/{kind}/{part}.{kind}?sig=s3cret" for part in (0, 1)]], rows)


def test_local_addresses_are_paths(rows, files, tmp_path):
    """Law: file:// is the path that it names, blanks included."""
    folder = tmp_path / "my data"
    folder.mkdir()
    for part in (0, 1):
        (folder / f"{part}.npy").write_bytes(files[f"npy/{part}.npy"])
    check_places([folder.as_uri(), f"{folder.as_uri()}/*.npy"], rows)


def test_zarr_arrays_in_stores_are_the_rows(rows, memory):
    """Law: a folder whose name ends in .zarr is an array, in a store too."""
    zarr = pytest.importorskip("zarr", reason="zarr is not installed: coterie[zarr]")
    zarr.create_array("memory://rows.zarr", shape=rows.shape, chunks=(9000, 3), dtype=rows.dtype)[:] = rows
    check_places(["memory://rows.zarr"], rows)


def test_a_web_server_lists_nothing(web):
    """Law: patterns of web addresses are refused with the way out."""
    with pytest.raises(FileProblem, match=r"a web server does not list its files.*in a list"):
        read_blocks(f"{web.address}/parquet/*.parquet")


@pytest.mark.parametrize("place", ["memory://data/none.csv", "memory://data/none*.csv", "memory://nowhere"])
def test_what_is_not_there_is_said(memory, place):
    """Law: blocks and tables name an address that leads nowhere."""
    for read in (read_blocks, read_table):
        with pytest.raises(MissingFile, match=r"no file matches|no such file"):
            read(place)


def test_workers_read_addresses(rows, start, web, client):
    """Law: workers in other processes read the same addresses; the answer is the local one to the bit."""
    places = [f"{web.address}/parquet/{part}.parquet?sig=s3cret" for part in (0, 1)]
    far = KMeans(7, init=start, max_iter=3).fit(places)
    near = KMeans(7, init=start, max_iter=3).fit(rows)
    assert np.array_equal(far.cluster_centers_, near.cluster_centers_)
    assert far.inertia_ == near.inertia_
    assert np.array_equal(far.labels_.compute(), near.labels_.compute())


def test_workers_say_what_a_store_says_without_secrets(web, client):
    """Law: a failure on a worker names the file, not the signature; nor does the piece that travels."""
    blocks = read_blocks([f"{web.address}/parquet/{part}.parquet?sig=s3cret" for part in (0, 1)])
    assert "s3cret" not in repr(blocks.pieces)
    web.files["/parquet/1.parquet"] = web.files["/parquet/0.parquet"]
    with pytest.raises(
        coterie.errors.InvalidFile, match=r"1\.parquet: has changed since it was opened"
    ) as caught:
        KMeans(2, random_state=0).fit(blocks)
    assert "s3cret" not in str(caught.value)


def test_large_addresses_are_read_in_blocks(memory, monkeypatch):
    """Law: the size in the store decides, as the size on disk does."""
    assert not data_paths.is_in_blocks("memory://data/parquet")
    monkeypatch.setattr(data_paths, "LARGE_BYTES", 1000)
    monkeypatch.setattr(stores, "stamp_of", None)  # the listing tells the sizes
    assert data_paths.is_in_blocks("memory://data/parquet")
    assert data_paths.is_in_blocks("memory://data/csv/*.csv")


def test_opening_a_file_takes_three_requests(web):
    """Law: whether it is there, what it is, and its footer; the rows do not travel."""
    read_blocks(f"{web.address}/parquet/0.parquet")
    assert [(verb, status) for verb, _, status in web.asked] == [("HEAD", 200), ("HEAD", 200), ("GET", 206)]


def test_the_shell_reads_and_writes_addresses(rows, memory, capfd):
    """Law: -o, --save and --report take addresses, once; the model is loaded from there, its labels stay."""
    command = ["fit", "memory://data/small", "-k", "3", "--method", "kmeans", "--no-believe"]
    outputs = [
        "-o",
        "memory://out/groups.csv",
        "--save",
        "memory://out/model.st",
        "--report",
        "memory://out/page.html",
    ]
    assert run([*command, *outputs]) == 0
    said = capfd.readouterr().out
    assert "labels   written to memory://out/groups.csv" in said
    assert "report   written to memory://out/page.html" in said
    labels = pl.read_csv(memory.cat_file("/out/groups.csv"))["label"].to_numpy()
    assert np.array_equal(coterie.load("memory://out/model.st").predict(rows[:300]), labels)
    assert memory.cat_file("/out/page.html").startswith(b"<!doctype html>")
    assert run([*command, *outputs]) == 2
    assert "memory://out/groups.csv exists. Use --force" in capfd.readouterr().err
    assert run([*command, *outputs, "--force", "--json"]) == 0
    assert json.loads(capfd.readouterr().out)["labels_file"] == "memory://out/groups.csv"
    assert run(["predict", "memory://out/model.st", "memory://data/small", "-o", "memory://again.csv"]) == 0
    assert np.array_equal(pl.read_csv(memory.cat_file("/again.csv"))["label"].to_numpy(), labels)


def test_labels_of_blocks_go_to_a_folder_of_a_store(rows, memory):
    """Law: one part per block, older parts are removed, an existing folder is refused."""
    found = fit_blocks(read_blocks("memory://data/parquet", block_rows=8192), "kmeans", 3, believe=False)
    memory.pipe_file("/labels/part-000007.parquet", b"older")
    with pytest.raises(ExistingFile, match=r"memory://labels exists"):
        found.write_labels("memory://labels")
    found.write_labels("memory://labels", force=True)
    manifest, *parts = sorted(memory.ls("/labels", detail=False))
    assert manifest == "/labels/_manifest.json"
    assert parts == [f"/labels/part-{part:06d}.parquet" for part in range(3)]
    labels = pl.concat([pl.read_parquet(memory.cat_file(part)) for part in parts])["label"].to_numpy()
    assert np.array_equal(labels, found.labels.compute())


def test_web_servers_are_not_written_to(web):
    """Law: an output by https:// is refused before the work."""
    assert run(["fit", f"{web.address}/csv/0.csv", "-k", "2", "-o", f"{web.address}/out.csv"]) == 2


def test_nothing_secret_is_printed_or_written(web, tmp_path, capfd):
    """Law: a signed address is in no output of the shell: answer, JSON, report, error, sidecar."""
    address = f"{web.address}/small/0.csv?X-Amz-Signature=s3cret".replace(
        "http://", "http://us3rname:pa55word@"
    )
    command = ["fit", address, "-k", "3", "--method", "kmeans", "--no-believe"]
    files = [
        "-o",
        str(tmp_path / "l.csv"),
        "--save",
        str(tmp_path / "m.st"),
        "--report",
        str(tmp_path / "r.html"),
    ]
    assert run([*command, *files]) == 0
    assert run([*command, "--json"]) == 0
    assert run([*command[:2], "--drop", "nothing"]) == 2
    assert run(["fit", address.replace("0.csv", "none.csv")]) == 2
    assert run(["fit", str(tmp_path / "l.csv"), f"--truth={address.replace('0.csv', 'none.csv')}"]) == 2
    shown = capfd.readouterr()
    assert "small/0.csv" in shown.out
    assert "none.csv: there is no such file" in shown.err
    written = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    for secret in ("s3cret", "pa55word", "us3rname"):
        assert secret not in shown.out + shown.err
        assert secret.encode() not in written


@pytest.mark.parametrize("kind", WRITERS)
def test_buckets_of_s3_are_the_rows(kind, rows, bucket):
    """Law: s3:// gives the rows that local files give, by folder, pattern and list; no key is named."""
    folder = f"{bucket}/{kind}"
    check_places([folder, f"{folder}/*.{kind}", [f"{folder}/0.{kind}", f"{folder}/1.{kind}"]], rows)


def test_missing_buckets_and_keys_are_said(bucket, monkeypatch):
    """Law: a bucket that does not exist and an object that does not are two sentences; no key is shown."""
    monkeypatch.setattr(retries, "PAUSES", (0.0,))
    with pytest.raises(MissingFile, match=r"s3://bucket/none\.csv: there is no such file"):
        read_table("s3://bucket/none.csv")
    with pytest.raises(MissingFile, match=r"there is no bucket s3://no-such-bucket") as caught:
        read_table("s3://no-such-bucket/rows.csv")
    assert "the-secret-key" not in str(caught.value)
    with pytest.raises(MissingFile, match=r"there is no bucket s3://no-such-bucket"):
        read_blocks("s3://no-such-bucket/*.parquet")


def test_workers_read_buckets_and_labels_go_there(rows, start, bucket):
    """Law: workers find credentials in their environment; labels are written by them to the bucket."""
    with LocalCluster(n_workers=1, threads_per_worker=2, dashboard_address=":0") as one, Client(one):
        far = KMeans(7, init=start, max_iter=3).fit(f"{bucket}/parquet")
        near = KMeans(7, init=start, max_iter=3).fit(rows)
        assert np.array_equal(far.cluster_centers_, near.cluster_centers_)
        model = coterie.cluster.KMeans(3, random_state=0).fit(rows)
        write_groups(model, f"{bucket}/parquet", "s3://bucket/labels")
    written = read_table("s3://bucket/labels/*.parquet")
    assert np.array_equal(written.content["label"].to_numpy(), model.predict(rows))


def test_delta_tables_in_buckets_are_read_at_their_current_version(rows, bucket):
    """Law: so are those in stores; old files and the folder above are never read."""
    deltalake = pytest.importorskip("deltalake", reason="deltalake is not installed: coterie[delta]")
    table = pl.DataFrame(rows[:500], schema=NAMES).with_columns(year=pl.lit(2024)).to_arrow()
    for _ in range(2):
        deltalake.write_deltalake("s3://bucket/lake/sales", table, mode="overwrite", partition_by=["year"])
    read = read_table("s3://bucket/lake/sales")
    assert np.array_equal(read.matrix([*NAMES, "year"]), np.c_[rows[:500], np.full(500, 2024.0)])
    assert np.array_equal(rows_in(read_blocks("s3://bucket/lake/sales", columns=NAMES)), rows[:500])
    with pytest.raises(FileProblem, match="holds a Delta or Iceberg table in s3://bucket/lake/sales"):
        read_blocks("s3://bucket/lake")


def test_stores_that_refuse_or_fail_are_explained(monkeypatch):
    """Law: a failing S3 server, refused and missing credentials are three sentences; no key is shown."""
    s3fs = pytest.importorskip("s3fs", reason="s3fs is not installed: coterie[s3]")
    monkeypatch.setattr(retries, "PAUSES", (0.0,))
    monkeypatch.setattr(stores, "_STORES", {})
    s3fs.S3FileSystem.clear_instance_cache()
    keys = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")
    with web_server() as server:
        for name in keys:
            monkeypatch.setenv(name, "the-secret-key")
        monkeypatch.setenv("AWS_ENDPOINT_URL", server.address)
        monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
        monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        with pytest.raises(StoreProblem, match=r"no permission to read it.*environment: AWS_PROFILE"):
            read_table("s3://bucket/private/a.csv")
        server.failures = -1
        with pytest.raises(
            StoreProblem, match=r"s3://bucket/a\.csv: cannot be read, though tried 2 times"
        ) as e:
            read_table("s3://bucket/a.csv")
        assert "the-secret-key" not in str(e.value)
        for name in keys:
            monkeypatch.delenv(name)
        monkeypatch.setattr(stores, "_STORES", {})
        s3fs.S3FileSystem.clear_instance_cache()
        with pytest.raises(StoreProblem, match=r"Unable to locate credentials.*environment: AWS_PROFILE"):
            read_table("s3://bucket/a.csv")
    s3fs.S3FileSystem.clear_instance_cache()
