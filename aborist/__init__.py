"""aborist: a retrieval engine for offline encyclopedias in ZIM files."""
