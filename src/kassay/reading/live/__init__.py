"""A cluster read over the network, by requests that change nothing: settings, connections, answers."""
