#!/bin/sh
# A campaign in shards counts what the whole counts, and a shard that is missing is seen: campaign_test.sh SASS_CAMPAIGN
set -eu
at=$(mktemp -d)
trap 'rm -rf "$at"' EXIT
WB_COUNTS=$at/whole "$1" 5 20 > "$at/out"
for shard in 1/3 2/3 3/3; do
    WB_COUNTS=$at/part.${shard%/3} "$1" $(scripts/campaign seeds 5 20 $shard) > "$at/out"
done
scripts/campaign combine "$at/whole" > "$at/of-whole"
scripts/campaign combine "$at"/part.* | cmp - "$at/of-whole"
grep -q '^seeds 5 to 24, ' "$at/of-whole"
[ "$(awk '$NF > 0' "$at/of-whole" | wc -l)" -gt 5 ]
if scripts/campaign combine "$at/part.1" "$at/part.3" 2> "$at/error"; then echo "a missing shard is not seen"; exit 1; fi
grep -q 'seeds 5 to 10 of .*part.1 are not followed by 18 of' "$at/error"
if scripts/campaign seeds 1 10 4/3 2> "$at/error"; then echo "4/3 is taken for a shard"; exit 1; fi
