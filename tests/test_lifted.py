"""A function of a source folder as a method of a spec."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pdspec.check.scenario import Options, ask
from pdspec.errors import SpecError
from pdspec.lang.ground import ground
from pdspec.lang.load import load_file
from pdspec.lift.lifted import with_source
from pdspec.lift.meaning import SourceTree
from pdspec.model.model import variable_texts
from pdspec.model.tree import Raises, Update, apply, outcomes

SPEC = """
from enum import IntEnum

from pdspec import *


class Poll(IntEnum):
    failed = 0
    going = 1
    done = 2


someone = Process("someone")
LIMIT = 1


class Cell(Spec):
    def state(self) -> None:
        self.status = Dict(range(2), Poll)
        self.count = Range(0, 3)

    update = lift("pkg/conn.py::Manager.update", cell="status"{settings})

    def room(self) -> int:
        return 0

    @someone.action(status=Poll)
    def write(self, status: Poll) -> None:
        self.update(0, status)
"""

Effects = Callable[..., list[str]]


@pytest.fixture
def effects(tmp_path: Path) -> Effects:
    """What each of the three writes does to the initial state, with `body` as the connector's method."""

    def of(body: str, settings: str = "", rest: str = "", before: str = "", bases: str = "") -> list[str]:
        folder = tmp_path / "pkg"
        folder.mkdir(exist_ok=True)
        method = "\n".join("        " + line for line in body.strip("\n").split("\n"))
        text = f"{before}\nclass Manager{bases}:\n    def update(self, room, status):\n{method}\n{rest}\n"
        (folder / "conn.py").write_text(text)
        file = tmp_path / "cell.py"
        file.write_text(SPEC.replace("{settings}", settings))
        spec = with_source(load_file(file).specs[0](), SourceTree(tmp_path))
        model, _ = ground(spec)
        said = []
        for action in model.actions:
            for _, leaf in outcomes(action.tree, model.initial[0].state):
                if isinstance(leaf, Update):
                    texts = variable_texts(model, apply(leaf, model.initial[0].state))
                    said.append(f"{texts['status']} {texts['count']}")
                else:
                    said.append(leaf.exception if isinstance(leaf, Raises) else type(leaf).__name__)
        return said

    return of


def test_a_method_writes_the_variables_of_the_spec(effects: Effects) -> None:
    assert effects("self.status[room] = max(status, 1)") == ["{0: going} 0", "{0: going} 0", "{0: done} 0"]


def test_globals_come_from_the_module_of_the_spec_by_name(effects: Effects) -> None:
    assert effects("if status == Poll.failed or LIMIT > 1:\n    return\nself.status[room] = status") == [
        "{} 0",
        "{0: going} 0",
        "{0: done} 0",
    ]


def test_annotations_and_harmless_decorators_are_stripped(effects: Effects) -> None:
    body = "seen: Unheard = self.status.get(room)\nother: Of\nself.count = 1 if seen is None else 2"

    assert effects(body) == ["{} 1"] * 3


def test_a_constant_stands_for_an_attribute_and_for_a_global(effects: Effects) -> None:
    settings = ', constant={"mode": "on", "SWITCH": 2}'

    assert effects("if self.mode == 'on':\n    self.count = SWITCH", settings) == ["{} 2"] * 3


def test_any_of_is_a_choice(effects: Effects) -> None:
    assert effects("self.count = self.wanted", ', any_of={"wanted": (1, 2)}') == ["{} 1", "{} 2"] * 3


def test_an_ignored_value_is_called_passed_and_logged(effects: Effects) -> None:
    body = """
        self.metrics.seen.add(room)
        notify(self.metrics, room)
        logger.info(f"room {room} {self.metrics}")
        self.metrics = status
        with self.metrics:
            self.count = 1
    """.replace("        ", "")

    assert effects(body, ', ignored=["metrics", "notify"]') == ["{} 1"] * 3


@pytest.mark.parametrize(
    ("body", "how"),
    [
        ("if self.metrics:\n    self.count = 1", "tests"),
        ("if self.metrics.size > 1:\n    self.count = 1", "compares"),
        ("for each in self.metrics:\n    self.count = 1", "iterates"),
        ("self.status[self.metrics] = status", "key"),
        ("self.count = self.metrics.get(room)", "stores"),
        ("self.count = self.metrics + 1", "computes"),
        ("self.metrics[room] = status", "stores"),
        ("try:\n    self.count = int(self.metrics)\nexcept BaseException:\n    pass", "computes"),
    ],
)
def test_code_that_depends_on_an_ignored_value_is_refused_with_its_line(effects: Effects, body: str, how: str) -> None:
    with pytest.raises(SpecError, match=how) as refused:
        effects(body, ', ignored=["metrics"]')

    assert refused.value.code == "PD406"
    assert refused.value.span is not None
    assert refused.value.span.file.endswith("conn.py")
    assert "constant=" in str(refused.value.hint)
    assert "any_of=" in str(refused.value.hint)


@pytest.mark.parametrize(
    "body",
    [
        "self.count = self.unheard",
        "self.unheard = 1",
        "self.count = UNHEARD",
        "try:\n    self.unheard()\nexcept Exception:\n    self.count = 1",
        "try:\n    self.count = UNHEARD\nexcept NameError:\n    pass",
        "self.count = 1 if hasattr(self, 'unheard') else 2",
        "self.count = getattr(self, 'unheard', 2)",
    ],
)
def test_a_name_that_nobody_models_is_refused_also_where_the_code_would_catch_it(effects: Effects, body: str) -> None:
    with pytest.raises(SpecError, match=r"(?i)unheard") as refused:
        effects(body)

    assert refused.value.code == "PD405"


def test_methods_of_the_source_are_lifted_and_those_of_the_spec_come_first(effects: Effects) -> None:
    rest = """
    def helper(self, status):
        return self.room() + status

    def room(self):
        return UNHEARD
"""

    assert effects("self.count = self.helper(status)", rest=rest) == ["{} 0", "{} 1", "{} 2"]


def test_super_is_the_next_class_of_the_source(effects: Effects) -> None:
    before = "class Base:\n    def update(self, room, status):\n        self.status[room] = status\n\n"
    body = "if status != 0:\n    super().update(room, status)"

    assert effects(body, before=before, bases="(Base)") == ["{} 0", "{0: going} 0", "{0: done} 0"]
    with pytest.raises(SpecError, match="after Manager"):
        effects(f"try:\n    {body[-28:]}\nexcept Exception:\n    pass", before=before)


def test_an_exception_of_lifted_code_names_its_own_line(effects: Effects) -> None:
    assert effects("raise ValueError('no')") == ["ValueError"] * 3
    assert effects("self.status.pop(room)") == ["KeyError"] * 3


@pytest.mark.parametrize("body", ["global X\nX = 1", "import os", "yield 1", "class A:\n    pass"])
def test_what_cannot_be_lifted_is_refused(effects: Effects, body: str) -> None:
    with pytest.raises(SpecError) as refused:
        effects(body)

    assert refused.value.code == "PD104"


def test_without_a_source_the_scenario_is_not_run(tmp_path: Path) -> None:
    file = tmp_path / "cell.py"
    scenario = 'SCENARIOS = [Scenario("of the source", Cell(), expect_source={"1.0": {}})]\n'
    file.write_text(SPEC.replace("{settings}", "") + scenario)

    report = ask(load_file(file).scenarios[0], Options())

    assert report.not_run is not None
    assert "--source" in report.not_run


def test_a_lifted_function_without_a_source_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "cell.py"
    file.write_text(SPEC.replace("{settings}", ""))

    with pytest.raises(SpecError, match="no source was given") as refused:
        ground(load_file(file).specs[0]())

    assert refused.value.code == "PD401"
