"""Two-phase commit for pdspec: the bundled spec, traced and then searched by the python engine.

`--trace-only` stops after tracing. "seconds" is what `check_model` takes: to compile the successor functions, to search
and to answer every property.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from pdspec.explicit.answer import check_model
from pdspec.lang.ground import ground
from pdspec.lang.load import load_file
from pdspec.verdict import Holds

SPEC = Path(__file__).resolve().parent.parent / "specs" / "classics" / "two_phase_commit.py"


def main() -> None:
    spec = load_file(SPEC).module.TwoPhaseCommit(managers=int(sys.argv[1]))
    start = time.process_time()
    model, _ = ground(spec)
    traced = time.process_time()
    answer: dict[str, float] = {"trace_seconds": traced - start}
    if "--trace-only" not in sys.argv:
        evidence, verdicts = check_model(model)
        answer["seconds"] = time.process_time() - traced
        assert evidence.complete, evidence
        assert all(isinstance(verdict, Holds) for verdict in verdicts.values()), verdicts
        answer["states"] = evidence.states
        answer["transitions"] = evidence.transitions
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
