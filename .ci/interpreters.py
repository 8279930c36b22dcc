"""Which Python interpreters this machine has: on the PATH and among those of pyenv."""

import glob
import os
import shutil
import subprocess

OLDEST, NEWEST = 11, 14
STABLE = 12  # from here on one wheel serves all versions
ASK = "import sys, sysconfig; print(sys.version_info[1], sysconfig.get_config_var('Py_GIL_DISABLED') or 0)"


def interpreters() -> dict[int, str]:
    """Return a path for each minor version of Python 3 that runs here and is supported."""
    folders = os.environ.get("PATH", "").split(os.pathsep)
    folders += sorted(glob.glob(os.path.expanduser("~/.pyenv/versions/*/bin")))
    found: dict[int, str] = {}
    for minor in range(OLDEST, NEWEST + 1):
        for folder in folders:
            path = shutil.which(f"python3.{minor}", path=folder)
            if path is not None and runs(path, minor):
                found[minor] = path
                break
    return found


def runs(path: str, minor: int) -> bool:
    """Whether a path is a working interpreter of that version, with a lock (GIL): shims may be neither."""
    try:
        said = subprocess.run([path, "-c", ASK], capture_output=True, text=True, timeout=60, check=True)
    except (OSError, subprocess.SubprocessError):
        return False
    return said.stdout.split() == [str(minor), "0"]


if __name__ == "__main__":
    for version, path in interpreters().items():
        print(f"3.{version} {path}")
