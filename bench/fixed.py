"""What the measures keep fixed, so that two runs ask and look alike."""

from __future__ import annotations

__all__ = ["DEPTH", "EVIDENCE_DEPTH", "SEED"]

DEPTH = 10  # results asked for: MRR@10 and nDCG@10 look no further
EVIDENCE_DEPTH = 5  # passages of evidence that are looked into
SEED = 20261130  # of every sample and resample
