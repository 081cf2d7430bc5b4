"""The connector releases that some tests read, as folders to use for `--source`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.sources import fetch

RELEASES = {release.version: release for release in fetch.releases()}


def release_folder(version: str) -> Path:
    """The unpacked `version`. Without it the calling test is skipped; where `CI` is set it fails, unless optional."""
    release = RELEASES[version]
    if fetch.is_here(release, fetch.CACHE):
        return fetch.CACHE / version
    if release.optional:
        pytest.skip(f"sglang {version} is optional: `python tests/sources/fetch.py --release {version}` fetches it")
    message = f"sglang {version} is not in {fetch.CACHE}, or not unchanged: `make sources` fetches it"
    if os.environ.get("CI"):
        pytest.fail(message, pytrace=False)
    pytest.skip(message)
