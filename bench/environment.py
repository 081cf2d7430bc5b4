"""The environment that the peers run in: `.cache/bench-venv`, made with Python 3.12 or newer where one is found.

One peer needs Python 3.12, and a ratio means something only if both sides run on the same interpreter. Where there is
none, the interpreter that runs the benchmark is used, and that peer is left out.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
FOLDER = CHECKOUT / ".cache" / "bench-venv"
WANTED = (3, 12)


def environment() -> Path:
    """The interpreter of an environment with pdspec and its peers, made or brought up to date if need be."""
    base, version = interpreter()
    stamp = FOLDER / "made-from"
    python = FOLDER / "bin" / "python"
    needs = [CHECKOUT / "bench" / "requirements.txt", CHECKOUT / "pyproject.toml"]
    made_from = version + " " + hashlib.sha256(b"".join(need.read_bytes() for need in needs)).hexdigest()
    if not stamp.is_file() or stamp.read_text() != made_from:
        print(f"making {FOLDER.relative_to(CHECKOUT)} with Python {version}", file=sys.stderr)
        shutil.rmtree(FOLDER, ignore_errors=True)
        run(base, "-m", "venv", FOLDER)
        pip = (python, "-m", "pip", "install", "-qq", "--disable-pip-version-check")
        run(*pip, "-r", needs[0], "-e", CHECKOUT)
        stamp.write_text(made_from)
    return python


def interpreter() -> tuple[str, str]:
    """The first interpreter that is wanted, works and can make environments, or the one that runs this; its version."""
    for candidate in candidates():
        version = version_of(candidate)
        if version and tuple(map(int, version.split(".")[:2])) >= WANTED:
            return candidate, version
    version = version_of(sys.executable)
    assert version, "the interpreter that runs the benchmark cannot make an environment"
    return sys.executable, version


def candidates() -> Iterator[str]:
    """`$BENCH_PYTHON`, what is on the PATH, and what a version manager has installed without putting it there."""
    yield from filter(None, [os.environ.get("BENCH_PYTHON")])
    yield from ("python3.12", "python3.13", "python3")
    versions = Path(os.environ.get("PYENV_ROOT", "~/.pyenv")).expanduser() / "versions"
    yield from map(str, sorted(versions.glob("3.1[2-9]*/bin/python")))


def version_of(python: str) -> str | None:
    """As `3.12.1`, or None if it does not run or lacks the venv module: a version manager's stand-in may do neither."""
    code = "import ensurepip, platform, venv; print(platform.python_version())"
    try:
        done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
    except OSError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def versions(python: Path) -> dict[str, str]:
    """The versions of the packages in the environment of `python`."""
    listed = run(python, "-m", "pip", "list", "--format=json", "--disable-pip-version-check")
    return {package["name"]: package["version"] for package in json.loads(listed)}


def run(*command: str | Path) -> str:
    done = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout
