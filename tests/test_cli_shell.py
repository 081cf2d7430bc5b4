"""How a command behaves in a shell: pipes, interrupts, terminals, encodings."""

from __future__ import annotations

import fcntl
import os
import pty
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Mapping
from pathlib import Path

import pytest

from pdspec.cli import run

CHECKOUT = Path(__file__).resolve().parent.parent
LOCK = "tests/golden/lock.py"
WEDGE = "tests/golden/wedge.py"
PDSPEC = (sys.executable, "-m", "pdspec")

TRACED_FOR_LONG = """
from pdspec import Array, Process, Scenario, Spec

p = Process("p")


class Long(Spec):
    def state(self):
        print("tracing now", flush=True)
        self.bits = Array(range(30), bool)

    @p.action
    def count(self):
        number = 0
        for bit in self.bits:
            number = 2 * number + (1 if bit else 0)
        self.bits[0] = number % 7 == 3


A = Scenario("first", Long())
B = Scenario("second", Long())
"""

EXPLORED_FOR_LONG = """
from pdspec import Array, Process, Range, Scenario, Spec, reachable

p = Process("p")


class Large(Spec):
    def state(self):
        self.counts = Array(range(30), Range(0, 3))

    @p.action(i=range(30))
    def count(self, i):
        self.counts[i] = (self.counts[i] + 1) % 4

    @reachable
    def twice(self):
        return self.counts[0] == 2


A = Scenario("first", Large())
B = Scenario("second", Large())
"""


@pytest.fixture(autouse=True)
def _in_the_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(CHECKOUT)


def test_a_reader_that_stops_reading_ends_it_silently() -> None:
    started = subprocess.Popen((*PDSPEC, "check", WEDGE), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert started.stdout is not None
    assert started.stderr is not None

    first = started.stdout.readline()
    started.stdout.close()
    said = started.stderr.read()
    started.stderr.close()

    assert first.startswith(WEDGE)
    assert said == ""
    assert started.wait(60) == 141


def test_an_interrupt_while_tracing_is_inconclusive_and_the_rest_is_not_run(tmp_path: Path) -> None:
    spec = written(tmp_path, TRACED_FOR_LONG)
    command = (*PDSPEC, "check", spec, "--paths-max", "1000000000")
    started = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert started.stderr is not None
    assert started.stderr.readline() == "tracing now\n"

    started.send_signal(signal.SIGINT)
    out, said = started.communicate(timeout=60)

    assert started.returncode == 3
    assert "interrupted while tracing" in out
    assert "not run (interrupted before)" in out
    assert said == ""


def test_an_interrupt_while_exploring_keeps_what_was_seen(tmp_path: Path) -> None:
    spec = written(tmp_path, EXPLORED_FOR_LONG)
    terminal, other_end = pty.openpty()
    started = subprocess.Popen((*PDSPEC, "check", spec), stdout=subprocess.PIPE, stderr=other_end, text=True)
    os.close(other_end)
    said = read_until(terminal, " to expand")

    started.send_signal(signal.SIGINT)
    out, _ = started.communicate(timeout=60)

    said += read_all(terminal)
    assert started.returncode == 3
    assert "twice       reachable  holds: 2 steps, last count" in out
    assert "inconclusive: stopped by a keyboard interrupt" in out
    assert "not run (interrupted before)" in out
    assert "states/s" in said
    last = said.replace("\r\n", "\n").split("\r")
    assert last[-1] == ""
    assert last[-2].strip() == ""


def test_without_a_terminal_there_is_no_progress_and_no_colour() -> None:
    done = subprocess.run((*PDSPEC, "check", LOCK), capture_output=True, text=True, check=True)

    assert done.stderr == ""
    assert "\x1b" not in done.stdout
    assert max(map(len, done.stdout.splitlines())) == 100


def test_on_a_terminal_there_are_colours_and_its_width_is_used() -> None:
    said = on_a_terminal("check", LOCK, columns=72)

    assert "\x1b[32mas expected" in said
    assert max(map(len, without_escapes(said).splitlines())) <= 72


@pytest.mark.parametrize("variables", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_a_terminal_that_wants_no_colours_gets_none(variables: dict[str, str]) -> None:
    assert "\x1b[" not in on_a_terminal("check", LOCK, variables=variables)


def test_colours_can_be_had_and_refused_by_option(capsys: pytest.CaptureFixture[str]) -> None:
    run(["check", LOCK, "--color", "always"])
    run(["check", LOCK, "--color", "never"])

    coloured, _, plain = capsys.readouterr().out.rpartition(f"\n{LOCK}")
    assert "\x1b[32m" in coloured
    assert "\x1b" not in plain
    assert "\x1b" not in on_a_terminal("check", LOCK, "--color", "never")


def test_an_encoding_that_can_only_do_ascii_gets_only_ascii(tmp_path: Path) -> None:
    spec = written(tmp_path, (CHECKOUT / LOCK).read_text(encoding="utf-8").replace("without", "ein Schloß"))
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}

    out = subprocess.run((*PDSPEC, "check", spec), env=environment, capture_output=True, text=True, check=True).stdout

    assert out.isascii()
    assert "->" in out
    assert "ein Schlo\\xdf" in out


def written(folder: Path, source: str) -> str:
    file = folder / "spec.py"
    file.write_text(source, encoding="utf-8")
    return str(file)


def on_a_terminal(*arguments: str, columns: int = 80, variables: Mapping[str, str] | None = None) -> str:
    """What pdspec writes to a terminal."""
    terminal, other_end = pty.openpty()
    fcntl.ioctl(other_end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    unset = ("COLUMNS", "NO_COLOR")
    environment = {name: value for name, value in os.environ.items() if name not in unset}
    environment = {**environment, "TERM": "xterm", **(variables or {})}
    started = subprocess.Popen((*PDSPEC, *arguments), stdout=other_end, env=environment)
    os.close(other_end)
    said = read_all(terminal)
    assert started.wait(60) == 0
    return said


def read_until(terminal: int, wanted: str) -> str:
    said = ""
    while wanted not in said:
        said += os.read(terminal, 4096).decode()
    return said


def read_all(terminal: int) -> str:
    parts = []
    try:
        while part := os.read(terminal, 4096):
            parts.append(part)
    except OSError:
        # Linux reports the closed other end of a terminal as an error.
        pass
    os.close(terminal)
    return b"".join(parts).decode()


def without_escapes(said: str) -> str:
    first, *others = said.split("\x1b[")
    return first + "".join(other.partition("m")[2] for other in others)
