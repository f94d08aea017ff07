"""Every guard of the coordinator and of the clients, removed in turn: which walk notices?"""
