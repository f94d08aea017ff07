"""What is wrong with settings of clients and brokers, and with reassignments, before anything runs."""
