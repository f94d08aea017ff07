"""Claims about partitioners, and the records to judge them on."""
