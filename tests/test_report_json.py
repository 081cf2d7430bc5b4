"""The JSON of a run and of a Model: by the schema, with all that the text says, and enough to explore from."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from pdspec.cli import run
from pdspec.cli.check import Request, asked, loaded
from pdspec.lang.ground import ground
from pdspec.model.json import model_json
from pdspec.report.document import document

CHECKOUT = Path(__file__).resolve().parent.parent
LOCK, WEDGE = Path("tests/golden/lock.py"), Path("tests/golden/wedge.py")
TWO_PHASE = Path("specs/classics/two_phase_commit.py")
VALIDATOR = jsonschema.Draft202012Validator(
    json.loads((CHECKOUT / "docs" / "json-schema.json").read_text(encoding="utf-8"))
)


@pytest.fixture(autouse=True)
def _in_the_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(CHECKOUT)


@pytest.mark.parametrize(
    "request_",
    [
        Request(spec=LOCK),
        Request(spec=LOCK, settings={"kind": "none"}),
        Request(spec=LOCK, states_max=1),
        Request(spec=LOCK, self_check=True),
        Request(spec=WEDGE, every=True),
        Request(spec=WEDGE, properties=("succeeds",)),
    ],
)
def test_every_run_is_by_the_schema(request_: Request) -> None:
    written = checked(request_)

    VALIDATOR.validate(written)


def test_the_schema_refuses_a_member_that_is_missing_or_unknown() -> None:
    written = checked(Request(spec=LOCK))

    without = {name: value for name, value in written.items() if name != "scope"}
    assert not VALIDATOR.is_valid(without)
    assert not VALIDATOR.is_valid({**written, "more": 1})


def test_the_command_writes_one_document_and_exits_with_its_code(capsys: pytest.CaptureFixture[str]) -> None:
    code = run(["check", str(WEDGE), "--format", "json"])

    written = json.loads(capsys.readouterr().out)
    VALIDATOR.validate(written)
    assert written["exit_code"] == code == 1
    assert [scenario["exit_code"] for scenario in written["scenarios"]] == [0, 0, 0, 0, 1, 0]


def test_what_keeps_a_run_from_beginning_is_in_the_document(capsys: pytest.CaptureFixture[str]) -> None:
    code = run(["check", "nowhere.py", "--format", "json"])

    said = capsys.readouterr()
    written = json.loads(said.out)
    VALIDATOR.validate(written)
    assert code == written["exit_code"] == 2
    assert written["problem"]["code"] == "PD101"
    assert "nowhere.py" in said.err


def test_a_trace_has_every_state_by_its_variables_and_every_change() -> None:
    scenario = checked(Request(spec=WEDGE))["scenarios"][0]

    trace = property_of(scenario, "drains")["trace"]
    assert trace["length"] == len(trace["steps"]) == 5
    assert trace["initial"]["state"] == {
        "status": {},
        "inflight": [],
        "sent": [0],
        "queue": [],
        "chunk": None,
        "aborted": [],
        "tries": {},
        "transport": "rdma",
    }
    last = trace["steps"][-1]
    assert (last["process"], last["action"], last["args"]) == ("transfer worker", "finish", [])
    assert {"place": "status[0]", "kind": "value", "before": "Failed", "after": "Transferring"} in last["changes"]
    assert last["state"]["status"] == {"0": "Transferring"}
    assert last["derived"] == {"waiting": "1"}
    assert last["span"]["file"] == str(WEDGE)
    third = trace["steps"][2]
    assert third["state"]["queue"] == [{"room": 0, "last": False}]


def test_a_step_that_raises_is_the_failure_of_the_trace() -> None:
    scenario = checked(Request(spec=WEDGE))["scenarios"][3]

    exceptions = property_of(scenario, "exceptions")
    failure = exceptions["trace"]["failure"]
    assert exceptions["met"]
    assert exceptions["expected"] == "violated (1 step, last poll, raising KeyError)"
    assert (failure["action"], failure["kind"], failure["message"]) == ("poll", "exception", "KeyError: 0")
    assert exceptions["trace"]["length"] == 1


def test_parameters_keep_their_types() -> None:
    scenario = checked(Request(spec=WEDGE))["scenarios"][5]

    assert scenario["parameters"] == {
        "rooms": 1,
        "chunks": 1,
        "store": "sticky",
        "poll_of": "inflight rooms",
        "queue_for": 4,
        "retries": True,
    }


def test_the_choices_of_an_initial_state_are_told() -> None:
    scenario = checked(Request(spec=WEDGE))["scenarios"][5]

    trace = property_of(scenario, "drains")["trace"]
    assert trace["initial"]["choices"] == [{"name": "initially", "value": "tcp"}]


def test_a_document_is_plain_ascii(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    spec = tmp_path / "spec.py"
    spec.write_text((CHECKOUT / LOCK).read_text(encoding="utf-8").replace("without", "锁"), encoding="utf-8")

    run(["check", str(spec), "--format", "json"])

    out = capsys.readouterr().out
    assert out.isascii()
    assert json.loads(out)["scenarios"][1]["name"] == "锁"


def test_what_a_spec_prints_does_not_spoil_the_document(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    spec = tmp_path / "spec.py"
    source = (CHECKOUT / LOCK).read_text(encoding="utf-8") + "\nprint('while loading')\n"
    spec.write_text(
        source.replace("        require(self.phase", "        print('in a step')\n        require(self.phase")
    )

    run(["check", str(spec), "--format", "json"])

    said = capsys.readouterr()
    VALIDATOR.validate(json.loads(said.out))
    assert "while loading" in said.err
    assert "in a step" in said.err


@pytest.mark.parametrize("spec", [LOCK, WEDGE, TWO_PHASE])
def test_every_model_is_by_the_schema(spec: Path) -> None:
    for scenario in loaded(spec).scenarios:
        model, _ = ground(scenario.spec)

        VALIDATOR.validate(model_json(model))


def test_equal_subtrees_are_one_node_and_nodes_come_after_those_they_refer_to() -> None:
    model, _ = ground(loaded(WEDGE).scenarios[0].spec)

    nodes = model_json(model)["nodes"]

    for number, node in enumerate(nodes):
        assert all(each["node"] < number for each in node.get("cases", node.get("branches", [])))
    contents = [json.dumps({**node, "span": None}) for node in nodes if node["kind"] != "raises"]
    assert len(set(contents)) == len(contents)


@pytest.mark.parametrize(
    ("scenario", "counts"), [("three managers", (288, 1145, 10)), ("five managers", (8832, 58145, 16))]
)
def test_the_published_counts_come_out_of_the_document_alone(scenario: str, counts: tuple[int, int, int]) -> None:
    (found,) = [each for each in loaded(TWO_PHASE).scenarios if each.name == scenario]
    model, _ = ground(found.spec)

    assert explored(json.loads(json.dumps(model_json(model)))) == counts


def test_the_document_of_the_wedge_has_the_states_that_the_engine_finds() -> None:
    for scenario, result in zip(
        loaded(WEDGE).scenarios, checked(Request(spec=WEDGE, every=True))["scenarios"], strict=True
    ):
        model, _ = ground(scenario.spec)

        found = result["explored"]
        assert explored(model_json(model)) == (found["states"], found["transitions"], found["depth"])


def test_a_model_is_written_the_same_whatever_the_hash_seed() -> None:
    written = set()
    for seed in ("0", "1"):
        command = [sys.executable, "-m", "pdspec", "model", str(WEDGE), "--json"]
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        written.add(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout)

    assert len(written) == 1


def checked(request: Request) -> dict[str, Any]:
    """The document of a run, as a reader gets it."""
    question, answers = asked(request)
    data = json.loads(json.dumps(document(question, list(answers))))
    assert isinstance(data, dict)
    return data


def property_of(scenario: dict[str, Any], name: str) -> dict[str, Any]:
    (found,) = [each for each in scenario["properties"] if each["name"] == name]
    assert isinstance(found, dict)
    return found


def explored(model: dict[str, Any]) -> tuple[int, int, int]:
    """States, transitions and depth, by no other knowledge of the Model than docs/json.md gives."""
    frontier = {tuple(initial["state"]) for initial in model["initial"]}
    seen, transitions, depth = set(frontier), 0, -1
    while frontier:
        depth += 1
        following: set[tuple[int, ...]] = set()
        for state in frontier:
            for action in model["actions"]:
                after = {(taken, new) for taken, new in steps(model["nodes"], action["tree"], state)}
                transitions += len(after)
                following.update(new for _, new in after)
        frontier = following - seen
        seen |= frontier
    return len(seen), transitions, depth


def steps(nodes: list[dict[str, Any]], at: int, state: tuple[int, ...]) -> Iterator[tuple[Any, tuple[int, ...]]]:
    node = nodes[at]
    if node["kind"] == "switch":
        value = valued(node["term"], state)
        (below,) = [case["node"] for case in node["cases"] if value in case["codes"]]
        yield from steps(nodes, below, state)
    elif node["kind"] == "choose":
        for branch in node["branches"]:
            for taken, after in steps(nodes, branch["node"], state):
                yield (node["name"], branch["option"], taken), after
    elif node["kind"] == "update":
        codes = list(state)
        for update in node["updates"]:
            codes[update["slot"]] = valued(update["value"], state)
        yield None, tuple(codes)


def valued(expr: list[Any], state: tuple[int, ...]) -> int:
    operator, *rest = expr
    match operator:
        case "const":
            return int(rest[0])
        case "slot":
            return state[int(rest[0])]
        case "scale":
            return int(rest[0]) * valued(rest[1], state)
        case "member":
            return int(valued(rest[0], state) in rest[1])
    values = [valued(each, state) for each in rest]
    match operator:
        case "add":
            return sum(values)
        case "max":
            return max(values)
        case "min":
            return min(values)
        case "equal":
            return int(values[0] == values[1])
        case "less":
            return int(values[0] < values[1])
        case "not":
            return int(not values[0])
        case "and":
            return int(all(values))
        case "or":
            return int(any(values))
    raise AssertionError(operator)
