"""The eight groups of question sets over which the macro figures are taken: every group weighs the same."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["GROUPS", "group_of", "macro"]

# Group -> the sets in it; a name that ends in "*" stands for every set that starts so.
GROUPS: Mapping[str, str] = {
    "squad": "squad_dev_v11",
    "fever": "fever_beir_test",
    "hotpotqa": "hotpotqa_*",
    "miracl_en": "miracl_en_*",
    "wikiqa": "wikiqa_*",
    "simpledbpediaqa": "simpledbpediaqa_*",
    "triviaqa": "triviaqa",
    "dbpedia_entity": "dbpedia_entity_v2",
}


def group_of(set_name: str) -> str:
    """The group a set belongs to; a set outside the eight is its own group."""
    for group, pattern in GROUPS.items():
        if set_name == pattern or (pattern.endswith("*") and set_name.startswith(pattern[:-1])):
            return group
    return set_name


def macro(by_group: Mapping[str, float]) -> float | None:
    """The mean over those of the eight groups that are there; None when none is."""
    values = [by_group[group] for group in GROUPS if group in by_group]
    return sum(values) / len(values) if values else None
