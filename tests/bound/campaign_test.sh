#!/bin/sh
# A campaign in shards counts what the whole counts, and a shard that is missing is seen:
# campaign_test.sh SASS_CAMPAIGN
set -eu
at=$(mktemp -d)
trap 'rm -rf "$at"' EXIT
WB_COUNTS=$at/whole "$1" 5 20 > "$at/out"
for shard in 1/3 2/3 3/3; do
    WB_COUNTS=$at/part.${shard%/3}-of-3.counts "$1" \
        $(scripts/campaign seeds 5 20 $shard) > "$at/out"
done
scripts/campaign combine "$at/whole" > "$at/of-whole"
scripts/campaign combine "$at"/part.* | cmp - "$at/of-whole"
grep -q '^seeds 5 to 24, ' "$at/of-whole"
[ "$(awk '$NF > 0' "$at/of-whole" | wc -l)" -gt 5 ]
refused() { # WHAT FILE...: combine fails, with WHAT in its message
    what=$1
    shift
    if scripts/campaign combine "$@" > "$at/out" 2> "$at/error"; then
        echo "combined: $*"
        exit 1
    fi
    grep -q "$what" "$at/error"
}
one=$at/part.1-of-3.counts two=$at/part.2-of-3.counts three=$at/part.3-of-3.counts
refused 'there are 1 of 3, 2 of 3$' "$one" "$two"
refused 'there are 2 of 3, 3 of 3$' "$two" "$three"
refused 'there are 1 of 3, 3 of 3$' "$one" "$three"
refused 'there are 1 of 3, 2 of 3, 2 of 3, 3 of 3$' "$one" "$two" "$two" "$three"
refused 'there are 1 of 1, 1 of 3, ' "$at/whole" "$one" "$two" "$three"
cp "$two" "$at/part.2-of-2.counts"
cp "$one" "$at/part.1-of-2.counts"
refused 'there are 2 of 2, 1 of 3$' "$one" "$at/part.2-of-2.counts"
cp "$three" "$at/part.2-of-2.counts" # of another campaign
refused 'seeds 5 to 10 of .*part.1-of-2.counts are not followed by 18 of' "$at/part.1-of-2.counts" \
    "$at/part.2-of-2.counts"
if scripts/campaign seeds 1 10 4/3 2> "$at/error"; then echo "4/3 is taken for a shard"; exit 1; fi
