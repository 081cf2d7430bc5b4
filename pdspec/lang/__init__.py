"""How a spec is written, and how it becomes a Model.

Reading order: `types` (the finite types), `spec` (Spec, Process, decorators), `context` (require, choose), `scenario`;
then `layout` (types to slots), `declare` (running `state()`), `path` and `symbolic` (one run of a method), `views`
(containers under the tracer), `rewrite` and `hooks` (what Python never asks), `trace` (all runs of a method), `ground`
(all methods of a spec), `load` (a file).
"""

from pdspec.lang.context import any_of, choose, require
from pdspec.lang.decorate import Process, Step, always_possible, derived, final, invariant, reachable, step_invariant
from pdspec.lang.finite import Array, Bag, Bool, Dict, Maybe, OneOf, Queue, Range, Set
from pdspec.lang.parameter import parameter
from pdspec.lang.record import Record, field, replace
from pdspec.lang.scenario import Expected, Scenario, Violated
from pdspec.lang.spec import Spec

__all__ = [
    "Array",
    "Bag",
    "Bool",
    "Dict",
    "Expected",
    "Maybe",
    "OneOf",
    "Process",
    "Queue",
    "Range",
    "Record",
    "Scenario",
    "Set",
    "Spec",
    "Step",
    "Violated",
    "always_possible",
    "any_of",
    "choose",
    "derived",
    "field",
    "final",
    "invariant",
    "parameter",
    "reachable",
    "replace",
    "require",
    "step_invariant",
]
