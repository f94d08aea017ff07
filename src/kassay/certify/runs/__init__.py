"""One run: blocks of cases, verdicts, shrinking, certificates, baselines, replay."""
