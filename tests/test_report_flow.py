"""Lines that fit."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pdspec.report.flow import column, flow, paragraph, spread, words
from pdspec.report.look import Line, Look, cells, line_cells, painted, printable, shortened

texts = st.text(st.characters(codec="utf-8"), max_size=60)
sentences = st.lists(st.text("abc锁é-", min_size=1, max_size=30), max_size=30).map(" ".join)


@given(sentences, st.integers(20, 60), st.integers(0, 8))
def test_no_line_of_a_paragraph_is_wider_than_asked(text: str, width: int, indent: int) -> None:
    lines = paragraph(text, width, indent)

    assert all(line_cells(line) <= width for line in lines)


@given(sentences, st.integers(20, 60))
def test_a_paragraph_says_all_that_the_text_says(text: str, width: int) -> None:
    said = "".join(plain(line) for line in paragraph(text, width))

    assert said.replace(" ", "") == text.replace(" ", "")


@given(st.lists(st.text("ab", min_size=1, max_size=8), min_size=1, max_size=12), st.integers(30, 60))
def test_a_word_that_fits_on_a_line_is_never_broken(parts: list[str], width: int) -> None:
    said = [word for line in paragraph(" ".join(parts), width) for word in plain(line).split()]

    assert said == parts


def test_a_group_that_fits_on_a_line_is_kept_together() -> None:
    lines = flow([words("first: 1 to 2;"), words("second: 3 to 4;")], 24)

    assert [plain(line) for line in lines] == ["first: 1 to 2;", "second: 3 to 4;"]


def test_a_group_that_fits_on_no_line_is_broken_between_words() -> None:
    lines = flow([words("a"), words("one two three four five")], 12, 0, 2)

    assert [plain(line) for line in lines] == ["a one two", "  three four", "  five"]


def test_what_does_not_fit_beside_stands_at_the_right_of_the_next_line() -> None:
    lines = spread([("", "a" * 15)], [("", "b" * 10)], 20)

    assert [plain(line) for line in lines] == ["a" * 15, " " * 10 + "b" * 10]


def test_a_wide_character_counts_as_two_columns_in_a_column() -> None:
    _, text = column("锁", 4)

    assert text == "锁  "
    assert cells("锁e\u0301") == 3


@given(texts, st.integers(5, 30), st.booleans())
def test_a_shortened_text_fits(text: str, width: int, unicode: bool) -> None:
    short = shortened(printable(text), width, Look(unicode=unicode))

    assert cells(short) <= width
    assert short == printable(text) or short.endswith(Look(unicode=unicode).ellipsis)


@given(texts)
def test_nothing_printable_is_obeyed_by_a_terminal(text: str) -> None:
    shown = printable(text)

    assert shown.isprintable()
    assert len(printable(text).splitlines()) <= 1


@given(st.lists(st.tuples(st.sampled_from(("", "strong", "dim", "bad")), st.text("ab ", max_size=5)), max_size=8))
def test_colours_are_only_added(line: Line) -> None:
    plainly, coloured = painted([line], Look()), painted([line], Look(colour=True))

    first, *others = coloured.split("\x1b[")
    assert first + "".join(other.partition("m")[2] for other in others) == plainly
    assert coloured.count("\x1b[0m") == sum(not other.startswith("0m") for other in others)


def plain(line: Line) -> str:
    return "".join(text for _, text in line)
