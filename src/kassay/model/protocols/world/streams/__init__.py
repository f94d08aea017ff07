"""The world of Streams groups (KIP-1071): stream threads inside processes, and the tasks that they run."""
