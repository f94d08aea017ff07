"""Certificates as files for other programs: JUnit, SARIF, Markdown, a badge."""
