"""pdspec: a model checker for Python engineers.

A spec is a Python class that reads like the code it models. pdspec runs it once per path, explores every interleaving,
and says whether the answer is true of the connector source about to be merged.

Reading order, each layer knowing only those above it:

    source, errors     where something stands, what an author can get wrong
    model              what a spec is: slots, decision trees, properties
    trace, verdict     what an answer is
    lang               how a spec is written, and how it becomes a Model
    lift               the connector's own source as part of a spec
    semantics          what a spec means: the methods on plain values, the judge of the engines
    explicit           an engine: visits every state
    check              asking: scenarios, expectations
    conform            is it true of the real system?
    report             saying it
    cli                the only place that prints
"""

__version__ = "0.1.0"

from pdspec.lang import (
    Array,
    Bag,
    Bool,
    Dict,
    Expected,
    Maybe,
    OneOf,
    Process,
    Queue,
    Range,
    Record,
    Scenario,
    Set,
    Spec,
    Step,
    Violated,
    always_possible,
    any_of,
    choose,
    derived,
    field,
    final,
    invariant,
    parameter,
    reachable,
    replace,
    require,
    step_invariant,
)
from pdspec.lift.lifted import lift

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
    "__version__",
    "always_possible",
    "any_of",
    "choose",
    "derived",
    "field",
    "final",
    "invariant",
    "lift",
    "parameter",
    "reachable",
    "replace",
    "require",
    "step_invariant",
]
