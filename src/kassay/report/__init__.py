"""Certificates and tables as terminal text, HTML, JUnit, SARIF and Markdown."""
