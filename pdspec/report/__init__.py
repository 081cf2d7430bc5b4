"""Saying it: what was asked and what came out, as text for a terminal or as JSON.

Reading order: `run` (what there is to say), `changes` (what a step changed), `scope` (what an answer does not show),
`look` and `flow` (colours, symbols, lines that fit), `interleaving` (a trace), `terminal` and `document` (a run, as
text and as JSON), `formats` (the formats by name). Nothing here decides anything about a verdict.
"""
