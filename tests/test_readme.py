"""What the README and the language page show is what pdspec does."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from pdspec.errors import CODES
from tests.releases import release_folder

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def shown(arguments: list[str], folder: Path) -> str:
    """What the command prints at 100 columns, without times."""
    environment = {**os.environ, "COLUMNS": "100", "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-m", "pdspec", *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, encoding="utf-8")
    return without_times(done.stdout)


def without_times(text: str) -> str:
    return re.sub(r"\d+\.\d\d s", "N s", text)


def test_the_wedge_is_shown_as_in_the_readme() -> None:
    block = without_times(BLOCKS[0][1]).strip()

    output = shown(["check", "specs/nixl.py", "--scenario", "as shipped"], ROOT)

    assert block.startswith("as shipped")
    assert block in output


def test_the_table_is_shown_as_in_the_readme() -> None:
    folder = release_folder("0.5.15").relative_to(ROOT)

    output = shown(["table", "specs/nixl.py", "--source", str(folder)], ROOT)

    assert BLOCKS[1][1].strip() == output.strip()


def test_the_first_spec_says_what_the_readme_says(tmp_path: Path) -> None:
    language, spec = BLOCKS[2]
    (tmp_path / "counter.py").write_text(spec)

    output = shown(["check", "counter.py"], tmp_path)

    assert language == "python"
    assert without_times(BLOCKS[3][1]).strip() == "$ pdspec check counter.py\n" + output.strip()


def test_the_first_spec_with_the_scenario_of_the_readme_is_as_expected(tmp_path: Path) -> None:
    (tmp_path / "counter.py").write_text(BLOCKS[2][1] + BLOCKS[4][1])

    output = shown(["check", "counter.py"], tmp_path)

    assert "1 scenario as expected" in output


def test_the_example_of_the_language_page_is_as_expected(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "language.md").read_text()
    (tmp_path / "lock.py").write_text(re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)[0])

    output = shown(["check", "lock.py"], tmp_path)

    assert "2 scenarios as expected" in output


def test_the_page_of_error_codes_has_every_code_with_its_meaning() -> None:
    page = (ROOT / "docs" / "errors.md").read_text()

    assert re.findall(r"^\| (PD\d+) \| (.*) \|$", page, re.MULTILINE) == list(CODES.items())


def test_every_page_that_the_readme_links_to_is_there() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert (ROOT / target).is_file(), target
