"""Which Python interpreters this machine has: on the PATH and among those of pyenv."""

import glob
import os
import shutil
import subprocess

OLDEST, NEWEST = 11, 14
STABLE = 12  # from here on one wheel serves all versions
ASK = """
import sys, sysconfig
print(sys.version_info[1], sysconfig.get_config_var('Py_GIL_DISABLED') or 0, sys.executable)
"""


def interpreters() -> dict[int, str]:
    """Return a path for each minor version of Python 3 that runs here and is supported."""
    folders = os.environ.get("PATH", "").split(os.pathsep)
    folders += sorted(glob.glob(os.path.expanduser("~/.pyenv/versions/*/bin")))
    found: dict[int, str] = {}
    for minor in range(OLDEST, NEWEST + 1):
        for folder in folders:
            named = shutil.which(f"python3.{minor}", path=folder)
            path = None if named is None else real_path(named, minor)
            if path is not None:
                found[minor] = path
                break
    return found


def real_path(path: str, minor: int) -> str | None:
    """Return where an interpreter of that version with a lock (GIL) is; None if the path leads to another."""
    try:
        said = subprocess.run([path, "-c", ASK], capture_output=True, text=True, timeout=60, check=True)
    except (OSError, subprocess.SubprocessError):
        return None  # a shim of pyenv for a version that is not chosen
    version, is_free, executable = said.stdout.split(maxsplit=2)
    return executable.strip() if (version, is_free) == (str(minor), "0") else None


if __name__ == "__main__":
    for version, path in interpreters().items():
        print(f"3.{version} {path}")
