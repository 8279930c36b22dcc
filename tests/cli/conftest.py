"""What the tests of the command line share."""

import pytest

from coterie.cli.app import run


@pytest.fixture
def shop(tmp_path, monkeypatch):
    """Return a folder with the demo's table, and work in it."""
    monkeypatch.chdir(tmp_path)
    assert run(["demo", "--copy", "customers.csv"]) == 0
    return tmp_path


@pytest.fixture
def cli(capsys):
    """Run a command; return its exit code, output and error output."""

    def call(*arguments):
        capsys.readouterr()
        code = run([str(argument) for argument in arguments])
        return code, *capsys.readouterr()

    return call


@pytest.fixture
def refused(cli):
    """Run a command that fails; return its one line on standard error."""

    def call(*arguments):
        code, out, err = cli(*arguments)
        assert (code, out) == (2, "")
        assert err.startswith("coterie: ")
        assert err.count("\n") == 1
        return err

    return call
