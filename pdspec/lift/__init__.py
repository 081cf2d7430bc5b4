"""The connector's source: find a function in it and make it part of a spec. It is read with `ast`, never imported.

Reading order: `bindings` (what a body binds), `meaning` and `resolve` (what a name means, which classes a class has),
`find` (a function by its reference), `lifted` (`lift`, as a spec declares it), `body` (the function made to run in the
spec).
"""
