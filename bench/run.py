"""Measure pdspec against its peers on two-phase commit, in one run; README.md beside this file says how to read it."""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bench.environment import CHECKOUT, environment, versions

TRACE_MANAGERS = 10


@dataclass(frozen=True, slots=True)
class Peer:
    """One program that searches the model: `script N` prints its counts and processor seconds as JSON."""

    name: str
    script: str
    package: str | None
    counts_apart: bool = False


@dataclass(frozen=True, slots=True)
class Sample:
    """One run: processor seconds of the search alone, and of the whole process."""

    search: float
    process: float


PDSPEC = Peer("pdspec, python engine", "pdspec_two_phase.py", "pdspec")
PEERS = (
    PDSPEC,
    Peer("bare search by hand", "bare_two_phase.py", None),
    Peer("minicheck", "minicheck_two_phase.py", "minicheck", counts_apart=True),
    Peer("musil", "musil_two_phase.py", "musil", counts_apart=True),
)


def main() -> None:
    options = arguments()
    python = environment()
    installed = versions(python)
    peers = [peer for peer in PEERS if peer.package is None or peer.package in installed]
    states = agreed_states(python, peers, options.managers)
    samples: dict[str, list[Sample]] = {peer.name: [] for peer in peers}
    for _ in range(options.rounds):
        for peer in peers:
            answer, process = run(python, peer, options.managers)
            assert answer["states"] == states, (peer, answer)
            samples[peer.name].append(Sample(answer["seconds"], process))
    traces = [run(python, PDSPEC, TRACE_MANAGERS, "--trace-only")[0]["trace_seconds"] for _ in range(options.rounds)]

    interpreter = subprocess.run([python, "-V"], capture_output=True, text=True, check=True).stdout.strip()
    print(f"{interpreter}, {platform.system()} {platform.machine()}, {os.cpu_count()} cores; ", end="")
    print(f"load {os.getloadavg()[0]:.1f} at the end")
    print()
    print("\n".join(table(peers, samples, states, installed)))
    print()
    print(f"pdspec traces {TRACE_MANAGERS} managers in {spread([1000 * t for t in traces], 0)} ms")
    for peer in PEERS:
        if peer not in peers:
            print(f"{peer.name}: not measured, it needs Python 3.12 or newer and none was found")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--managers", type=int, default=7, help="size of the model (default: 7)")
    parser.add_argument("--rounds", type=int, default=5, help="how often each program is run (default: 5)")
    return parser.parse_args()


def agreed_states(python: Path, peers: Sequence[Peer], managers: int) -> int:
    """The number of states; ends the run if the programs do not all count the same states and transitions."""
    counts: dict[str, tuple[int, int]] = {}
    for peer in peers:
        answer, _ = run(python, peer, managers, *(["--transitions"] if peer.counts_apart else []))
        counts[peer.name] = (int(answer["states"]), int(answer["transitions"]))
        print(f"{peer.name}: {answer['states']:,} states, {answer['transitions']:,} transitions", file=sys.stderr)
    if len(set(counts.values())) != 1:
        sys.exit(f"the programs do not search the same model: {counts}")
    return next(iter(counts.values()))[0]


def run(python: Path, peer: Peer, managers: int, *options: str) -> tuple[dict[str, float], float]:
    """What the program printed, and the processor seconds of its whole process."""
    command: list[str | Path] = [python, CHECKOUT / "bench" / peer.script, str(managers), *options]
    start = used()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    seconds = used() - start
    if done.returncode != 0:
        sys.exit(f"{peer.script} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    answer: dict[str, float] = json.loads(done.stdout)
    return answer, seconds


def used() -> float:
    """The processor seconds of all processes that were started and have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def table(peers: Sequence[Peer], samples: dict[str, list[Sample]], states: int, installed: dict[str, str]) -> list[str]:
    """A row for each program. A ratio is taken within a round, so that a slow minute of the machine hits both sides."""
    rows = [
        f"| {states:,} states | version | states/s | search / pdspec's | process, s | process / pdspec's |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for peer in peers:
        mine = samples[peer.name]
        pairs = list(zip(mine, samples[PDSPEC.name], strict=True))
        cells = [
            peer.name,
            installed[peer.package] if peer.package else "-",
            spread([states / sample.search for sample in mine], 0),
            "1" if peer is PDSPEC else spread([its.search / ours.search for its, ours in pairs], 2),
            spread([sample.process for sample in mine], 1),
            "1" if peer is PDSPEC else spread([its.process / ours.process for its, ours in pairs], 2),
        ]
        rows.append(f"| {' | '.join(cells)} |")
    return rows


def spread(values: Sequence[float], digits: int) -> str:
    """The median, and the least and greatest value in brackets."""
    return f"{median(values):,.{digits}f} ({min(values):,.{digits}f} to {max(values):,.{digits}f})"


if __name__ == "__main__":
    main()
