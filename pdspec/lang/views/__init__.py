"""What `self.variable` is under the tracer: live views that behave like the built-in containers.

`access` reads and writes places; `sets`, `dicts` and `bags`, over `unordered`, and `ordered` (Queue and Array) are the
views. What a built-in does is done by the built-in where that is possible: a rare operation copies the content into a
real container, works there and writes it back.
"""

from pdspec.lang.views import bags, dicts, ordered, sets

__all__ = ["bags", "dicts", "ordered", "sets"]
