"""What a spec means: its methods run as plain Python. Slow, and the judge of every engine.

Reading order: `values` (what belongs to a type), `memory`, `ordered`, `unordered`, `bag`, `live` (the built-in
containers that check what is stored in them), `declared` (variables and instances), `step` (one step), `look`
(properties), `graph` and `explore` (all states), `replay` (a trace).
"""

from pdspec.semantics.declared import Choices, Instance, Question, initial_states, instances, questions
from pdspec.semantics.explore import Exploration, explore
from pdspec.semantics.replay import confirms, objection, replay
from pdspec.semantics.step import Bound, Disabled, Next, Outcome, Raised, outcomes
from pdspec.semantics.values import State, freeze

__all__ = [
    "Bound",
    "Choices",
    "Disabled",
    "Exploration",
    "Instance",
    "Next",
    "Outcome",
    "Question",
    "Raised",
    "State",
    "confirms",
    "explore",
    "freeze",
    "initial_states",
    "instances",
    "objection",
    "outcomes",
    "questions",
    "replay",
]
