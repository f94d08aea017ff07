"""What a campaign comes to: verdicts, findings, studies."""
