"""The world of Streams groups (KIP-1071): stream threads in processes, and their tasks."""
