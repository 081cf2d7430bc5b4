"""The package as a user gets it: built from the checkout, installed into a new environment, used in another folder."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
import zipfile
from email.parser import HeaderParser
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parent.parent

# What would let a command see the checkout, or keep it from leaving byte code behind.
CHANGED = ("PYTHONPATH", "VIRTUAL_ENV", "PYTHONDONTWRITEBYTECODE")

SPEC = '''
from pdspec import *


worker = Process("worker")


def worker_ids(spec: "Lock") -> range:
    return range(spec.workers)


class Lock(Spec):
    """Some workers and one lock; `broken` forgets to take it."""

    workers: int = parameter(2, at_least=1)
    broken: bool = False

    def state(self) -> None:
        self.inside = Array(worker_ids(self), bool)
        self.holder = Maybe(OneOf(worker_ids(self)))

    @worker.action(i=worker_ids)
    def enter(self, i: int) -> None:
        require(not self.inside[i])
        require(self.broken or self.holder is None)
        self.holder = i
        self.inside[i] = True

    @worker.action(i=worker_ids)
    def leave(self, i: int) -> None:
        require(self.inside[i])
        self.inside[i] = False
        self.holder = None

    @invariant
    def mutual_exclusion(self) -> bool:
        return sum(self.inside) <= 1


SCENARIOS = [Scenario("with the lock", Lock(), expect={"mutual_exclusion": "holds"})]
'''

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel built from the source distribution, so that both are known to be complete."""
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--outdir", folder, CHECKOUT, cwd=folder)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the commands of a new environment that holds the wheel and what it needs."""
    folder = tmp_path_factory.mktemp("venv")
    venv.create(folder, with_pip=True, symlinks=True)
    run(folder / "bin" / "python", "-m", "pip", "install", "-qq", "--disable-pip-version-check", wheel, cwd=folder)
    return folder / "bin"


def test_the_wheel_is_pure_python_typed_and_needs_only_click(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (about,) = [name for name in names if name.endswith(".dist-info/METADATA")]
        metadata = HeaderParser().parsestr(archive.read(about).decode())

    assert wheel.name.endswith("-py3-none-any.whl")
    assert "pdspec/py.typed" in names
    assert {name.split("/")[0] for name in names} == {"pdspec", about.split("/")[0]}
    assert about.replace("METADATA", "licenses/LICENSE") in names
    needed = [need for need in metadata.get_all("Requires-Dist", []) if "extra ==" not in need]
    assert [need.split("<")[0].split(">")[0] for need in needed] == ["click"]


def test_a_spec_in_another_folder_is_checked_by_the_installed_command(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "lock.py").write_text(SPEC, encoding="utf-8")

    done = run(installed / "pdspec", "check", "lock.py", cwd=tmp_path)

    assert "mutual_exclusion" in done.stdout
    assert "with the lock" in done.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["lock.py"]


def test_a_broken_spec_fails_the_installed_command(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "lock.py").write_text(SPEC, encoding="utf-8")

    done = run(installed / "pdspec", "check", "lock.py", "--set", "broken=true", cwd=tmp_path, code=1)

    assert "mutual_exclusion" in done.stdout
    assert done.stdout.count("enter") >= 2


def test_a_spec_is_type_checked_against_the_installed_package(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "lock.py").write_text(SPEC, encoding="utf-8")
    mypy = (sys.executable, "-m", "mypy", "--strict", "--python-executable", installed / "python", "lock.py")

    run(*mypy, cwd=tmp_path)
    (tmp_path / "lock.py").write_text(SPEC.replace("parameter(2, at_least=1)", 'parameter("2")'), encoding="utf-8")
    wrong = run(*mypy, cwd=tmp_path, code=1)

    assert "lock.py:" in wrong.stdout


def run(*command: str | Path, cwd: Path, code: int = 0) -> subprocess.CompletedProcess[str]:
    """Run a command away from the checkout, so that only what is installed can be imported."""
    environment = {name: value for name, value in os.environ.items() if name not in CHANGED}
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == code, f"{command} ended with {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done
