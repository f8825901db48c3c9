#!/usr/bin/env bash
# `make bench`: the sweep over the bundled samples; with ABORIST_DATA also the seed corpora and real questions.
# Each run writes bench/results/<name>-<commit>.json. Never the test split: nothing may be tuned on it.
set -euo pipefail
bin=${BIN:-.venv/bin}
run=("$bin/python" -m bench.run)

"${run[@]}" --name sweep --zim samples/sample_en.zim samples/seeds_ru.zim --questions bench/qa_questions.txt --by category

if [[ -z ${ABORIST_DATA:-} ]]; then
    echo 'ABORIST_DATA is not set: the seed corpora and the real questions are left out' >&2
    exit 0
fi
for seed in seeds_ru seeds_en; do
    "${run[@]}" --name "$seed" --zim "$ABORIST_DATA/$seed/$seed.zim" --questions "$ABORIST_DATA/$seed/questions.jsonl" --by category
done
"${run[@]}" --name dev --zim "$ABORIST_DATA/enwiki_medium/enwiki_medium.zim" \
    --questions "$ABORIST_DATA/enwiki_medium/questions_dev.jsonl" --by group
