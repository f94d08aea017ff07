"""Claims about formulas, proved for all sizes by Z3."""
