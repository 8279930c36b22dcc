"""The C++ sources compile elsewhere: one file knows the operating system, no word of GCC alone."""

import re
from pathlib import Path

import pytest

NATIVE = Path(__file__).resolve().parents[2] / "native"
SOURCES = sorted(
    path
    for path in [*NATIVE.rglob("*.h"), *NATIVE.rglob("*.cpp")]
    if path.relative_to(NATIVE).parts[0] != "tests"  # these fork to see what a child does
)
PLATFORM = NATIVE / "support" / "platform.cpp"
SYSTEM_HEADER = re.compile(
    r"#include <((?:sys|linux|mach|arpa|netinet)/[\w/]+\.h|(?:unistd|pthread|sched|dlfcn|fcntl|poll|dirent"
    r"|pwd|strings|signal|malloc|windows|x86intrin|intrin)\.h)>"
)
SYSTEM_MACRO = re.compile(
    r"^#\s*(?:if|ifdef|ifndef|elif).*\b(_WIN32|_MSC_VER|__linux__|__APPLE__)\b", re.MULTILINE
)
# GCC has these and Clang has not; __builtin_shuffle is behind an #if in simd.h, beside Clang's way
OF_GCC_ALONE = re.compile(
    r"__builtin_(shuffle|apply|va_arg_pack|GOACC\w*)\b|#pragma GCC (?!unroll|diagnostic)"
)

pytestmark = pytest.mark.skipif(not SOURCES, reason="the C++ sources are not here: a wheel is tested")


def test_one_file_knows_the_operating_system():
    """Law: headers of an operating system, and questions which one it is, are in platform.cpp."""
    assert SYSTEM_HEADER.search(PLATFORM.read_text())  # the pattern finds what there is
    found = {
        str(path.relative_to(NATIVE)): [*SYSTEM_HEADER.findall(text), *SYSTEM_MACRO.findall(text)]
        for path in SOURCES
        if path != PLATFORM
        and ((text := path.read_text()) and (SYSTEM_HEADER.search(text) or SYSTEM_MACRO.search(text)))
    }
    assert found == {}


def test_no_word_of_gcc_alone():
    """Law: what Clang does not know is in support/simd.h only, beside Clang's way of saying it."""
    found = {
        str(path.relative_to(NATIVE)): OF_GCC_ALONE.findall(path.read_text())
        for path in SOURCES
        if OF_GCC_ALONE.search(path.read_text())
    }
    assert set(found) <= {"support/simd.h"}, found
    assert "__builtin_shufflevector" in (NATIVE / "support" / "simd.h").read_text()
