#!/usr/bin/env bash
# `make query`: answers $Q from the index $SHARDS; an index without archives gets the bundled samples first.
set -euo pipefail
: "${BIN:?}" "${SHARDS:?}" "${K:?}"

if [[ -z ${Q+set} || -z $Q ]]; then
    echo 'usage: make query Q="has oceania always been at war with east asia" [K=10]' >&2
    exit 2
fi

# A published archive is a folder with a manifest; half-built ones have none.
if ! compgen -G "$SHARDS/*/manifest.json" >/dev/null; then
    echo 'the index is empty: indexing the bundled samples ...' >&2
    "$BIN/aborist" index samples/*.zim --shards "$SHARDS" >&2
fi

status=0
"$BIN/aborist" query --shards "$SHARDS" -k "$K" -- "$Q" || status=$?
# 3 says "no answer": a well-formed reply, and no failure of the command.
[[ $status -eq 3 ]] || exit "$status"
