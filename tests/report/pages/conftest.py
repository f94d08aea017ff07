"""The browser, for the tests of pages that need one."""

from tests.browser import chromium, open_page

__all__ = ["chromium", "open_page"]
