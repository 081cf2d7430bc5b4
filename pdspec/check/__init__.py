"""Asking: the scenarios of a file, and whether each verdict is the expected one.

`scenario` asks one scenario, `expect` compares, `outcome` turns reports into an exit code.
"""
