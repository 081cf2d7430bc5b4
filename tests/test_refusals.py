"""What a step may not do is refused with its code and line when the spec is loaded or traced."""

from __future__ import annotations

from pathlib import Path

import pytest

from pdspec.errors import SpecError
from pdspec.lang.ground import ground
from pdspec.lang.load import load_file

SPEC = """
import random
import time
from enum import Enum

from pdspec import *


class Color(Enum):
    red = 1
    blue = 2


CACHE: list[int] = []
someone = Process("someone")


class Small(Spec):
    def state(self) -> None:
        self.n = Range(0, 3)
        self.members = Set(("a", "b"))
        self.color = Color.red
        self.queues = Dict(range(2), Queue(bool, 2))

    @someone.action
    def act(self) -> None:
        {body}

    {more}
"""


def refused(tmp_path: Path, body: str = "self.n = 0", more: str = "") -> SpecError:
    indented = body.replace("\n", "\n        ")
    text = SPEC.replace("{body}", indented).replace("{more}", more.replace("\n", "\n    "))
    file = tmp_path / "small.py"
    file.write_text(text)
    with pytest.raises(SpecError) as caught:
        ground(load_file(file).specs[0]())
    assert caught.value.span is not None, caught.value
    assert caught.value.span.file == str(file)
    return caught.value


@pytest.mark.parametrize(
    ("code", "body"),
    [
        ("PD102", "self.m = 1"),
        ("PD102", "self.n = self.m"),
        ("PD102", "self.n = unheard"),
        ("PD102", "self.color = Color.green"),
        ("PD102", "self.n = random.unheard()"),
        ("PD102", "try:\n    self.n = self.m\nexcept AttributeError:\n    pass"),
        ("PD104", "yield 1"),
        ("PD104", "global CACHE\nCACHE = []"),
        ("PD104", "CACHE[0] = 1"),
        ("PD104", "Small.count = 1"),
        ("PD104", "type(self).count = 1"),
        ("PD104", "self.__dict__['n'] = 1"),
        ("PD104", "del self.n"),
        ("PD104", "self.n = 1 if self.n is 1 else 2"),
        ("PD104", "self.n = id(self.n)"),
        ("PD105", "CACHE.append(1)\nself.n = len(CACHE) % 2"),
        ("PD105", "CACHE.append(1)\nif self.n == len(CACHE):\n    self.n = 0"),
        ("PD105", "CACHE.append(1)\nself.n = 1 if len(CACHE) < 99 else 2"),
        ("PD103", "if self.n * (1 << 70) + len(self.members) > 5:\n    self.n = 0"),
        ("PD105", "self.n = hash('a') % 2"),
        ("PD106", "import itertools\nfor each in itertools.count():\n    pass"),
        ("PD105", "self.n = random.randrange(3)"),
        ("PD105", "self.n = int(time.time()) % 2"),
        ("PD106", "while self.n < 5:\n    pass"),
        ("PD106", "self.act()"),
        ("PD107", "for each in self.members:\n    self.n = 1 if each == 'a' else 2"),
        ("PD107", "self.n = 1 if list(self.members)[:1] == ['a'] else 2"),
        ("PD107", "for each in self.members:\n    self.n = choose((0, 1) if each == 'a' else (2, 3))\n    return"),
        ("PD107", "for each in {'a', 'b'}:\n    self.n = 1 if each == 'a' else 2"),
        ("PD110", "mine = {0}\nself.members = mine\nmine.add('b')".replace("{0}", "{'a'}")),
        ("PD110", "self.queues[0] = self.queues[1]"),
    ],
)
def test_a_step_is_refused(tmp_path: Path, code: str, body: str) -> None:
    assert refused(tmp_path, body).code == code


@pytest.mark.parametrize(
    ("code", "more"),
    [
        ("PD107", "@invariant\ndef first(self) -> bool:\n    return list(self.members)[:1] != ['b']"),
        ("PD107", "@derived\ndef shown(self) -> list[str]:\n    return list(self.members)"),
        ("PD108", "@invariant\ndef writes(self) -> bool:\n    self.n = 1\n    return True"),
        ("PD108", "@invariant\ndef requires(self) -> bool:\n    require(self.n == 0)\n    return True"),
        ("PD108", "@reachable\ndef chooses(self) -> bool:\n    return choose((True, False))"),
        (
            "PD108",
            "@invariant\ndef swallows(self) -> bool:\n    try:\n        self.members.add('a')\n"
            "    except BaseException:\n        pass\n    return True",
        ),
        ("PD103", "@invariant(k=range(2))\ndef argument(self) -> bool:\n    return True"),
        ("PD103", "@always_possible(without=['unheard'])\ndef back(self) -> bool:\n    return True"),
    ],
)
def test_a_property_is_refused(tmp_path: Path, code: str, more: str) -> None:
    assert refused(tmp_path, more=more).code == code


@pytest.mark.parametrize(
    "body",
    [
        "for each in sorted(self.members):\n    self.n = 1 if each == 'a' else 2",
        "self.n = sum(1 for each in self.members)",
        "self.n = len({'a', 'b'})",
        "if set(self.members) == {'a'}:\n    self.n = 1",
        "for each in list(self.members):\n    self.members.discard(each)",
        "each = choose(self.members)\nself.n = 1 if each == 'a' else 2",
        "self.n = 1 if {'a', 'b'}.pop() == 'a' else 2",
        "mine = {'a'}\nself.members = mine",
        "self.queues[0] = self.queues[1].copy() if 1 in self.queues else self.queues.get(0, [])[:0]",
    ],
)
def test_what_does_not_depend_on_an_order_is_traced(tmp_path: Path, body: str) -> None:
    indented = body.replace("\n", "\n        ")
    file = tmp_path / "small.py"
    file.write_text(SPEC.replace("{body}", indented).replace("{more}", ""))

    model, _ = ground(load_file(file).specs[0]())

    assert len(model.actions) == 1


@pytest.mark.parametrize(
    ("code", "declared", "said"),
    [
        ("PD103", "OneOf([0, 1, 0])", "which Python calls equal"),
        ("PD103", "Set([0, 0])", "which Python calls equal"),
        ("PD103", "[False] * 2", "Array"),
        ("PD103", "set()", "Set(keys)"),
        ("PD103", "(0, 1)", "OneOf"),
        ("PD103", "Queue(Set((0, 1)), 2)", "values"),
        ("PD103", "Range(0, 3, start=7)", "cannot start as 7"),
    ],
)
def test_a_declaration_is_refused(tmp_path: Path, code: str, declared: str, said: str) -> None:
    file = tmp_path / "small.py"
    file.write_text(SPEC.replace("{body}", "pass").replace("{more}", "").replace("Range(0, 3)", declared))

    with pytest.raises(SpecError) as caught:
        ground(load_file(file).specs[0]())

    assert caught.value.code == code
    assert said in str(caught.value)


def test_a_property_that_returns_nothing_is_refused(tmp_path: Path) -> None:
    assert refused(tmp_path, more="@invariant\ndef forgets(self) -> None:\n    self.n < 3").code == "PD108"


def test_a_set_of_values_has_one_order(tmp_path: Path) -> None:
    file = tmp_path / "small.py"
    text = SPEC.replace("{body}", "pass").replace("{more}", "")
    file.write_text(text.replace("Range(0, 3)", "OneOf({'idle', 'busy', 'gone'})"))

    model, _ = ground(load_file(file).specs[0]())

    assert model.slots[0].domain.names == ("busy", "gone", "idle")
