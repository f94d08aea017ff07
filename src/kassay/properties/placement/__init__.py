"""Claims about placers and plans, and the requests to judge them on."""
