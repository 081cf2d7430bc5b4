"""The command line, and the only place that prints or exits.

`commands` reads the arguments and tells apart what goes wrong; `check` and `model` do what was asked for; `show`
writes. A command only loads what it uses, so that `pdspec --help` is instant.
"""

from pdspec.cli.commands import main, run

__all__ = ["main", "run"]
