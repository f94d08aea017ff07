"""What the group protocols talk about, as frozen values."""
