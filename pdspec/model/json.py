"""The Model as JSON data, so that any tool can read it; `docs/json.md` documents the form.

It is canonical: equal Models give equal data. Decision trees share subtrees, so they are written as one list of nodes
in which every node comes after those that it refers to.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, assert_never

from pdspec.model.expr import (
    Add,
    After,
    And,
    Const,
    Equal,
    Expr,
    Less,
    Max,
    Member,
    Min,
    Not,
    Or,
    Scale,
    Slot,
)
from pdspec.model.model import Model
from pdspec.model.shape import (
    ArrayShape,
    BagShape,
    DictShape,
    OptionalShape,
    QueueShape,
    RecordShape,
    ScalarShape,
    SetShape,
    Shape,
)
from pdspec.model.tree import Answer, Choose, Disabled, Overflow, Raises, Shown, Switch, Tree, Update
from pdspec.source import SourceSpan

FORMAT = "pdspec model"
VERSION = 1


def model_json(model: Model) -> dict[str, Any]:
    """The whole Model as JSON data."""
    nodes = _Nodes()
    actions = [
        {
            "action": action.action,
            "process": action.process,
            "args": _pairs(action.args),
            "tree": nodes.number(action.tree),
            "span": _span(action.span),
        }
        for action in model.actions
    ]
    properties = [
        {
            "property": instance.property,
            "kind": instance.kind,
            "args": _pairs(instance.args),
            "trees": [nodes.number(tree) for tree in instance.trees],
            "without": sorted(instance.without),
            "span": _span(instance.span),
        }
        for instance in model.properties
    ]
    final = None if model.final is None else nodes.number(model.final)
    derived = [{"name": value.name, "tree": nodes.number(value.tree)} for value in model.derived]
    return {
        "format": FORMAT,
        "version": VERSION,
        "name": model.name,
        "parameters": _pairs(model.parameters),
        "slots": [
            {"name": slot.name, "codes": list(slot.domain.codes), "names": list(slot.domain.names), "first": slot.first}
            for slot in model.slots
        ],
        "variables": [{"name": variable.name, "shape": _shape(variable.shape)} for variable in model.variables],
        "processes": [{"name": process.name, "fair": process.fair} for process in model.processes],
        "initial": [{"state": list(initial.state), "choices": _pairs(initial.choices)} for initial in model.initial],
        "actions": actions,
        "properties": properties,
        "final": final,
        "derived": derived,
        "ignored": list(model.ignored),
        "nodes": nodes.nodes,
    }


class _Nodes:
    """The nodes so far. Trees that are equal apart from where they stand get one number."""

    def __init__(self) -> None:
        self.nodes: list[dict[str, Any]] = []
        self._by_identity: dict[int, int] = {}
        self._by_content: dict[object, int] = {}

    def number(self, tree: Tree) -> int:
        """The number of the tree's root; its nodes are added where they are new."""
        known = self._by_identity.get(id(tree))
        if known is None:
            content, node = self._node(tree)
            known = self._by_content.get(content)
            if known is None:
                known = self._by_content[content] = len(self.nodes)
                self.nodes.append(node)
            self._by_identity[id(tree)] = known
        return known

    def _node(self, tree: Tree) -> tuple[object, dict[str, Any]]:
        """What tells the node from others, and the node."""
        match tree:
            case Switch(term, cases, span):
                below = tuple((codes, self.number(case)) for codes, case in cases)
                written = [{"codes": list(codes), "node": node} for codes, node in below]
                return (term, below), {"kind": "switch", "term": expr_json(term), "cases": written, "span": _span(span)}
            case Choose(name, options, branches, span):
                numbers = tuple(self.number(branch) for branch in branches)
                chosen = [{"option": option, "node": node} for option, node in zip(options, numbers, strict=True)]
                return (name, options, numbers), {
                    "kind": "choose",
                    "name": name,
                    "branches": chosen,
                    "span": _span(span),
                }
            case Update(updates):
                assigned = [{"slot": slot, "value": expr_json(value)} for slot, value in updates]
                return tree, {"kind": "update", "updates": assigned}
            case Disabled(span):
                return tree, {"kind": "disabled", "span": _span(span)}
            case Raises(exception, message, span):
                return tree, {"kind": "raises", "exception": exception, "message": message, "span": _span(span)}
            case Overflow(message, span):
                return tree, {"kind": "bound", "message": message, "span": _span(span)}
            case Answer(truth):
                return tree, {"kind": "answer", "truth": expr_json(truth)}
            case Shown(text):
                return tree, {"kind": "shown", "text": text}
            case _:
                assert_never(tree)


def expr_json(expr: Expr) -> list[Any]:
    """An expression as a list: its operator, then its operands."""
    match expr:
        case Const(value):
            return ["const", value]
        case Slot(index):
            return ["slot", index]
        case After(index):
            return ["after", index]
        case Add(terms):
            return ["add", *map(expr_json, terms)]
        case Scale(factor, term):
            return ["scale", factor, expr_json(term)]
        case Max(left, right):
            return ["max", expr_json(left), expr_json(right)]
        case Min(left, right):
            return ["min", expr_json(left), expr_json(right)]
        case Equal(left, right):
            return ["equal", expr_json(left), expr_json(right)]
        case Less(left, right):
            return ["less", expr_json(left), expr_json(right)]
        case Member(term, codes):
            return ["member", expr_json(term), list(codes)]
        case Not(term):
            return ["not", expr_json(term)]
        case And(terms):
            return ["and", *map(expr_json, terms)]
        case Or(terms):
            return ["or", *map(expr_json, terms)]
        case _:
            assert_never(expr)


def _shape(shape: Shape) -> dict[str, Any]:
    match shape:
        case ScalarShape(slot, numeric):
            return {"kind": "scalar", "slot": slot, "numeric": numeric}
        case OptionalShape(presence, absent, inner):
            return {"kind": "optional", "presence": presence, "absent": absent, "inner": _shape(inner)}
        case RecordShape(name, fields):
            written = [{"name": field, "shape": _shape(inner)} for field, inner in fields]
            return {"kind": "record", "name": name, "fields": written}
        case ArrayShape(items):
            return {"kind": "array", "items": [_shape(item) for item in items]}
        case DictShape(entries):
            return {"kind": "dict", "entries": [{"key": key, "shape": _shape(entry)} for key, entry in entries]}
        case SetShape(entries):
            return {"kind": "set", "entries": [{"key": key, "slot": slot} for key, slot in entries]}
        case QueueShape(length, items):
            return {"kind": "queue", "length": length, "items": [_shape(item) for item in items]}
        case BagShape(entries):
            return {"kind": "bag", "entries": [{"key": key, "slot": slot} for key, slot in entries]}
        case _:
            assert_never(shape)


def _pairs(pairs: Sequence[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in pairs]


def _span(span: SourceSpan | None) -> dict[str, Any] | None:
    return None if span is None else {"file": span.file, "line": span.line}
