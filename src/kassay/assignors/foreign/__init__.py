"""Adapters to assignors of real client libraries; each library is imported only where it is used."""
