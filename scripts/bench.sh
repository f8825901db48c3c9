#!/usr/bin/env bash
# `make bench`: the sweep over the bundled samples; with ABORIST_DATA also the seed corpora and real questions.
# Each run writes bench/results/<name>-<commit>.json and its artefacts; then the comparisons, the plots and the report.
# Never the test split: nothing may be tuned on it.
set -euo pipefail
bin=${BIN:-.venv/bin}
run=("$bin/python" -m bench.run)
data=${ABORIST_DATA:-}

"${run[@]}" --name sweep --zim samples/sample_en.zim samples/seeds_ru.zim --questions bench/qa_questions.txt --by category

if [[ -z $data ]]; then
    echo 'ABORIST_DATA is not set: the seed corpora and the real questions are left out' >&2
    exec "$bin/python" -m bench.report
fi
for seed in seeds_ru seeds_en; do
    "${run[@]}" --name "$seed" --zim "$data/$seed/$seed.zim" --questions "$data/$seed/questions.jsonl" --by category
done
zim=$data/enwiki_medium/enwiki_medium.zim
questions=$data/enwiki_medium/questions_dev.jsonl
shards=$("$bin/python" -m bench.index "$zim")
"${run[@]}" --name dev --zim "$zim" --questions "$questions" --shards "$shards" --by group
"$bin/python" -m bench.ablation --name dev --shards "$shards" --questions "$questions"
"$bin/python" -m bench.compare
"$bin/python" -m bench.plots
"$bin/python" -m bench.report
