"""Settings that all tests share: the Hypothesis profiles, chosen by KASSAY_HYPOTHESIS or CI."""

import os

from hypothesis import settings

from tests.browser import chromium, open_page

__all__ = ["chromium", "open_page"]

# A slow machine is no finding: what takes long is measured in benchmarks.
settings.register_profile("dev", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.register_profile("deep", deadline=None, max_examples=10_000, print_blob=True)
settings.load_profile(os.environ.get("KASSAY_HYPOTHESIS") or ("ci" if os.environ.get("CI") else "dev"))
