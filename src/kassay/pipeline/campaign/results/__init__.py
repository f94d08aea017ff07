"""Results of a campaign: verdicts, findings, studies."""
