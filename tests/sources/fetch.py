"""Fetches the published releases of sglang that some tests read, and checks every byte that is kept of them.

Only `sglang/srt/disaggregation` of each wheel is kept, below `.cache/sglang/VERSION/`, which git ignores: the source of
sglang (Apache-2.0) is read by tests and never becomes part of this repository. A release appears under its name in
one rename, when it is complete and its hashes are right, so a run that is killed leaves nothing that a test could read.
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

HASHES = Path(__file__).with_name("hashes.toml")
CACHE = Path(__file__).resolve().parents[2] / ".cache" / "sglang"
KEPT = "sglang/srt/disaggregation/"
# The wheels of one platform, so that the hashes hold wherever this runs: nothing of them is executed.
PLATFORM = ("--platform", "manylinux_2_34_x86_64", "--python-version", "3.12", "--implementation", "cp")
PARTIAL = ".partial-"
PARTIAL_SECONDS_MAX = 3600.0


@dataclass(frozen=True, slots=True)
class Release:
    """One published release, as `hashes.toml` describes it."""

    version: str
    optional: bool
    wheel: str
    megabytes: float
    wheel_sha256: str
    files_sha256: str


class FetchError(Exception):
    """A release that could not be brought here; the message says why and what to do."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Fetch what is missing or wrong. 0: all that was asked for is here and right; 1: some release is not."""
    known = releases()
    options = _parser().parse_args(arguments)
    wanted = [one for one in known if options.all or not one.optional]
    if options.release:
        unknown = sorted(set(options.release) - {one.version for one in known})
        if unknown:
            _parser().error(f"no hashes for {', '.join(unknown)}; known: {', '.join(one.version for one in known)}")
        wanted = [one for one in known if one.version in options.release]
    failures = 0
    for release in wanted:
        try:
            print(f"sglang {release.version}: {fetch(release, options.into)}", flush=True)
        except FetchError as error:
            failures += 1
            print(f"sglang {release.version}: {error}", file=sys.stderr, flush=True)
    return 1 if failures else 0


def releases() -> tuple[Release, ...]:
    """Every release that `hashes.toml` lists, oldest first."""
    return tuple(Release(**entry) for entry in tomllib.loads(HASHES.read_text(encoding="utf-8"))["release"])


def is_here(release: Release, cache: Path = CACHE) -> bool:
    """Whether every file kept of `release` is in the cache, unchanged, and no Python file besides them."""
    return digest(cache / release.version) == release.files_sha256


def fetch(release: Release, cache: Path = CACHE) -> str:
    """Bring `release` into `cache` unless it is there, and say in a few words what was done. Raises FetchError."""
    if is_here(release, cache):
        return "already here"
    cache.mkdir(parents=True, exist_ok=True)
    _sweep(cache)
    with tempfile.TemporaryDirectory(prefix=PARTIAL, dir=cache) as folder:
        partial = Path(folder)
        wheel = _download(release, partial)
        _expect("the wheel", hashlib.sha256(wheel.read_bytes()).hexdigest(), release.wheel_sha256)
        count = unpack(wheel, partial / "files")
        _expect("what the wheel contains", digest(partial / "files"), release.files_sha256)
        _install(partial / "files", cache / release.version, partial / "replaced")
    return f"fetched ({release.megabytes} MB, {count} files kept)"


def digest(folder: Path) -> str:
    """One SHA-256 over the names and contents of all Python files below `folder`; of nothing if it does not exist."""
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.py") if path.is_file())
    lines = [f"{hashlib.sha256((folder / name).read_bytes()).hexdigest()}  {name}\n" for name in names]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def unpack(wheel: Path, folder: Path) -> int:
    """Write the Python files of the wheel that tests read below `folder`, and return how many they are."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            names = [name for name in archive.namelist() if name.startswith(KEPT) and name.endswith(".py")]
            archive.extractall(folder, names)
    except (OSError, zipfile.BadZipFile) as error:
        raise FetchError(f"{wheel.name} cannot be unpacked: {error}") from error
    return len(names)


def _download(release: Release, folder: Path) -> Path:
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    exact = ["--only-binary=:all:", *PLATFORM, "--dest", str(folder), f"sglang=={release.version}"]
    done = subprocess.run(pip + exact, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or [f"pip ended with exit code {done.returncode}"]
        raise FetchError("pip could not download it; run this again when it can\n  " + "\n  ".join(lines[-5:]))
    wheel = folder / release.wheel
    if not wheel.is_file():
        found = ", ".join(sorted(path.name for path in folder.glob("*.whl"))) or "nothing"
        raise FetchError(f"pip downloaded {found} instead of {release.wheel}; is another package index configured?")
    return wheel


def _expect(what: str, found: str, expected: str) -> None:
    if found != expected:
        raise FetchError(
            f"{what} is not what {HASHES.name} says, so nothing was kept\n  expected {expected}\n  found    {found}"
        )


def _install(files: Path, target: Path, replaced: Path) -> None:
    if target.exists():
        target.rename(replaced)
    files.rename(target)


def _sweep(cache: Path) -> None:
    """Remove what a killed run left; a younger folder may belong to a run that is under way."""
    for leftover in cache.glob(f"{PARTIAL}*"):
        if time.time() - leftover.stat().st_mtime > PARTIAL_SECONDS_MAX:
            shutil.rmtree(leftover, ignore_errors=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Fetch the releases of sglang that some tests read.")
    parser.add_argument("--release", action="append", metavar="VERSION", help="only this release; may be repeated")
    parser.add_argument("--all", action="store_true", help="the optional releases too")
    parser.add_argument("--into", type=Path, default=CACHE, metavar="DIR", help="instead of .cache/sglang")
    return parser


if __name__ == "__main__":
    sys.exit(main())
