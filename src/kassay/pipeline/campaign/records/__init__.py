"""What a campaign keeps: its tables, its receipts, and where they lie."""
