"""Fetching releases, with wheels made here instead of downloaded ones: what is kept, refused and left behind."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.releases import release_folder
from tests.sources import fetch
from tests.sources.fetch import FetchError, Release

FILES = {
    "sglang/srt/disaggregation/conn.py": "x = 1\n",
    "sglang/srt/disaggregation/nixl/conn.py": "y = 2\n",
    "sglang/srt/disaggregation/notes.txt": "not Python\n",
    "sglang/srt/server.py": "z = 3\n",
}
KEPT = ["sglang/srt/disaggregation/conn.py", "sglang/srt/disaggregation/nixl/conn.py"]
Downloads = list[str]


def make_wheel(folder: Path, files: dict[str, str] = FILES) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    wheel = folder / "sglang-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, text in files.items():
            archive.writestr(zipfile.ZipInfo(name), text)
    return wheel


@pytest.fixture
def release(tmp_path: Path) -> Release:
    wheel = make_wheel(tmp_path / "published")
    fetch.unpack(wheel, tmp_path / "expected")
    wheel_sha256 = hashlib.sha256(wheel.read_bytes()).hexdigest()
    return Release("1.0", False, wheel.name, 0.1, wheel_sha256, fetch.digest(tmp_path / "expected"))


@pytest.fixture
def downloads(monkeypatch: pytest.MonkeyPatch) -> Downloads:
    """pip replaced by a copy of the wheel made here; the list grows by one for each download."""
    return stand_in_for_pip(monkeypatch, lambda folder: make_wheel(folder))


def stand_in_for_pip(monkeypatch: pytest.MonkeyPatch, download: Callable[[Path], object]) -> Downloads:
    asked: Downloads = []

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        asked.append(command[-1])
        download(Path(command[command.index("--dest") + 1]))
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(subprocess, "run", run)
    return asked


def contents(cache: Path) -> list[str]:
    return sorted(path.relative_to(cache).as_posix() for path in cache.rglob("*") if path.is_file())


def test_only_the_python_files_that_tests_read_stay(tmp_path: Path, release: Release, downloads: Downloads) -> None:
    said = fetch.fetch(release, tmp_path / "cache")

    assert said == "fetched (0.1 MB, 2 files kept)"
    assert contents(tmp_path / "cache") == [f"1.0/{name}" for name in KEPT]
    assert fetch.is_here(release, tmp_path / "cache")
    assert downloads == ["sglang==1.0"]


def test_a_release_that_is_there_is_not_downloaded_again(
    tmp_path: Path, release: Release, downloads: Downloads
) -> None:
    fetch.fetch(release, tmp_path)

    said = fetch.fetch(release, tmp_path)

    assert said == "already here"
    assert len(downloads) == 1


@pytest.mark.parametrize("damage", ["changed", "missing", "added"])
def test_a_damaged_release_is_fetched_again(
    tmp_path: Path, release: Release, downloads: Downloads, damage: str
) -> None:
    cache = tmp_path / "cache"
    fetch.fetch(release, cache)
    file = cache / "1.0" / KEPT[0]
    match damage:
        case "changed":
            file.write_text("x = 2\n", encoding="utf-8")
        case "missing":
            file.unlink()
        case _:
            file.with_name("extra.py").touch()
    assert not fetch.is_here(release, cache)

    fetch.fetch(release, cache)

    assert len(downloads) == 2
    assert contents(cache) == [f"1.0/{name}" for name in KEPT]
    assert file.read_text(encoding="utf-8") == "x = 1\n"


def test_a_wheel_with_another_hash_is_refused_and_nothing_of_it_stays(
    tmp_path: Path, release: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in_for_pip(monkeypatch, lambda folder: make_wheel(folder, {**FILES, "sglang/evil.py": ""}))

    with pytest.raises(FetchError, match=f"the wheel is not what hashes.toml says(.|\n)*{release.wheel_sha256}"):
        fetch.fetch(release, tmp_path / "cache")

    assert list((tmp_path / "cache").iterdir()) == []


def test_another_wheel_than_the_listed_one_is_refused(
    tmp_path: Path, release: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in_for_pip(monkeypatch, lambda folder: make_wheel(folder).rename(folder / "sglang-1.0-cp312.whl"))

    with pytest.raises(FetchError, match=r"downloaded sglang-1\.0-cp312\.whl instead of sglang-1\.0-py3"):
        fetch.fetch(release, tmp_path / "cache")


def test_a_failing_pip_is_quoted(tmp_path: Path, release: Release, monkeypatch: pytest.MonkeyPatch) -> None:
    failed = subprocess.CompletedProcess([], 1, "", "ERROR: no matching distribution\n")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: failed)

    with pytest.raises(FetchError, match=r"pip could not download it(.|\n)*ERROR: no matching distribution"):
        fetch.fetch(release, tmp_path / "cache")


def test_a_killed_run_leaves_nothing_that_counts_and_is_swept_up_later(
    tmp_path: Path, release: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(folder: Path) -> None:
        fetch.unpack(make_wheel(folder), folder / "files")
        os.rename(folder, folder.with_name(".partial-killed"))
        raise KeyboardInterrupt

    stand_in_for_pip(monkeypatch, killed)
    with pytest.raises(KeyboardInterrupt):
        fetch.fetch(release, tmp_path / "cache")
    left = tmp_path / "cache" / ".partial-killed"
    assert left.is_dir()
    assert not fetch.is_here(release, tmp_path / "cache")
    os.utime(left, (0, 0))
    stand_in_for_pip(monkeypatch, lambda folder: make_wheel(folder))

    fetch.fetch(release, tmp_path / "cache")

    assert [path.name for path in (tmp_path / "cache").iterdir()] == ["1.0"]


def test_the_command_fetches_what_is_not_optional_and_says_what_it_did(
    tmp_path: Path,
    release: Release,
    downloads: Downloads,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    listed = (release, Release("0.9", True, release.wheel, 0.1, release.wheel_sha256, release.files_sha256))
    monkeypatch.setattr(fetch, "releases", lambda: listed)

    codes = [fetch.main(["--into", str(tmp_path), *more]) for more in ([], ["--release", "0.9"], ["--all"])]

    assert codes == [0, 0, 0]
    assert downloads == ["sglang==1.0", "sglang==0.9"]
    assert capsys.readouterr().out.splitlines()[2:] == ["sglang 1.0: already here", "sglang 0.9: already here"]


def test_a_release_that_fails_does_not_stop_the_others_but_the_exit_code_says_so(
    tmp_path: Path,
    release: Release,
    downloads: Downloads,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    wrong = Release("0.9", False, release.wheel, 0.1, "0" * 64, release.files_sha256)
    monkeypatch.setattr(fetch, "releases", lambda: (wrong, release))

    code = fetch.main(["--into", str(tmp_path)])

    said = capsys.readouterr()
    assert code == 1
    assert "sglang 1.0: fetched" in said.out
    assert "sglang 0.9: the wheel is not what hashes.toml says" in said.err


def test_an_unknown_release_is_a_wrong_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        fetch.main(["--release", "0.4"])

    assert caught.value.code == 2
    assert "no hashes for 0.4; known: 0.5.5, " in capsys.readouterr().err


@pytest.mark.skipif(shutil.which("sha256sum") is None, reason="the documented command needs sha256sum")
def test_the_digest_is_the_one_that_the_documented_command_prints(tmp_path: Path, release: Release) -> None:
    fetch.unpack(make_wheel(tmp_path / "published"), tmp_path / "files")
    command = "find . -name '*.py' -type f | sed 's,^\\./,,' | LC_ALL=C sort | xargs sha256sum | sha256sum"

    printed = subprocess.run(command, shell=True, cwd=tmp_path / "files", capture_output=True, text=True, check=True)

    assert printed.stdout.split()[0] == release.files_sha256
    assert command in " ".join(fetch.HASHES.read_text(encoding="utf-8").replace("\n#", "").split())


def test_a_test_without_its_release_is_skipped_but_fails_where_ci_is_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetch, "CACHE", tmp_path)
    monkeypatch.delenv("CI", raising=False)

    with pytest.raises(pytest.skip.Exception, match=r"sglang 0\.5\.5 is not in .*: `make sources` fetches it"):
        release_folder("0.5.5")

    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="`make sources` fetches it"):
        release_folder("0.5.5")
    with pytest.raises(pytest.skip.Exception, match=r"sglang 0\.5\.12 is optional"):
        release_folder("0.5.12")
