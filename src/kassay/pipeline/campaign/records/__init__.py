"""Storage of a campaign: its tables, its receipts, and their locations."""
