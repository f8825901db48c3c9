#!/usr/bin/env bash
# `make index`: indexes $ZIM, one path (spaces allowed) or several separated by blanks, into $SHARDS.
set -euo pipefail
: "${BIN:?}" "${SHARDS:?}"

if [[ -z ${ZIM:-} ]]; then
    echo 'usage: make index ZIM="wikipedia.zim [more.zim ...]" [SHARDS=./shards]' >&2
    exit 2
fi
if [[ -e $ZIM ]]; then
    archives=("$ZIM")
else
    read -r -a archives <<<"$ZIM"
fi
exec "$BIN/aborist" index --shards "$SHARDS" -- "${archives[@]}"
