"""A value that the author chose to ignore: it may be called, passed on and logged, and nothing may depend on it."""

from __future__ import annotations

from typing import Any, NoReturn

from pdspec.lang.context import refuse


class Opaque:
    """Stands for an ignored name; its attributes and results are ignored, too."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        object.__setattr__(self, "_name", name)

    def __call__(self, *args: Any, **kwargs: Any) -> Opaque:
        return Opaque(f"{self._name}(...)")

    def __getattr__(self, name: str) -> Opaque:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return Opaque(f"{self._name}.{name}")

    def __enter__(self) -> Opaque:
        return self

    def __exit__(self, *error: object) -> None:
        """An ignored context manager swallows nothing."""

    def __repr__(self) -> str:
        refuse_use(self, "asks for the text of")

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        refuse_use(self, "asks for the text of")


def is_opaque(value: Any) -> bool:
    """Whether `value` is ignored."""
    return type(value) is Opaque


def refuse_use(value: Any, how: str) -> NoReturn:
    """The refusal of code that depends on an ignored value."""
    name = value._name
    root = name.split("(")[0].split(".")[0]
    refuse(
        "PD406",
        f"{name} is ignored, but the code {how} it",
        hint=f"give it a value: lift(..., constant={{{root!r}: value}}) or any_of={{{root!r}: (value, ...)}}",
    )


def _refusing(name: str, how: str) -> None:
    def method(self: Opaque, *args: Any) -> NoReturn:
        refuse_use(self, how)

    setattr(Opaque, f"__{name}__", method)


for _how, _names in {
    "tests": "bool",
    "compares": "eq ne lt le gt ge",
    "iterates over": "iter next reversed len contains length_hint",
    "uses as a key": "hash index",
    "reads an item of": "getitem",
    "stores into": "setitem delitem setattr delattr",
    "computes with": "add radd sub rsub mul rmul truediv rtruediv floordiv rfloordiv mod rmod pow rpow and rand or ror "
    "xor rxor lshift rlshift rshift rrshift neg pos invert abs int float round divmod rdivmod iadd isub",
}.items():
    for _name in _names.split():
        _refusing(_name, _how)
