"""An engine: visit every reachable state, breadth first.

Reading order: `pack` (a state as one int), `compile` (trees as Python functions of some of its bits), `explore` (the
search), `paths` (the trace of a finding), `possible` (what can still be reached), `answer` (findings as verdicts).
"""
