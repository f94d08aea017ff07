"""One run: blocks of histories, verdicts, shrinking, certificates, baselines, replay."""
