#!/bin/sh
# Installs the build in the folder $1 beside it, looks at the names of the library, compiles
# docs/examples/deadline.c as a user would, and holds what it prints to what the command proves.
set -eu
prefix=$(mktemp -d "$1/installed.XXXXXX")
trap 'rm -rf "$prefix"' EXIT
"$CMAKE" --install "$1" --prefix "$prefix" >/dev/null
library=$(find "$prefix" -name libwarpbound.a)

if nm -g --defined-only "$library" | grep ' [A-Z] ' | grep -vE ' (wb_|[.]gomp_)'; then
    echo "the installed library has these names without wb_"
    exit 1
fi

PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name warpbound.pc)")
export PKG_CONFIG_PATH
# shellcheck disable=SC2046 # words
"$CC" -std=c11 -Wall -Wextra -Werror docs/examples/deadline.c \
    $("$PKG_CONFIG" --static --cflags --libs warpbound |
        sed 's/-lwarpbound/-l:libwarpbound.a/') -o "$prefix/deadline"

# expect STATUS WORDS ARGUMENTS: what the example must come to and print.
expect() {
    status=0
    # shellcheck disable=SC2086 # words
    printed=$("$prefix/deadline" $3 2>&1) || status=$?
    case "$status:$printed" in
    "$1:"*"$2"*) ;;
    *)
        echo "deadline $3: exit status $status, expected $1 and '$2'; printed: $printed"
        exit 1
        ;;
    esac
}

# The number that it proves is the one up to which the command calls a deadline missed.
vecadd="kernels/vecadd.ptx kernels/vecadd.yaml ecrts2025-orin"
expect 0 "deadline met" "$vecadd 1000000000"
proven=${printed#* at most }
proven=${proven%% *}
method=${printed#* by }
method=${method%%)*}
judged() {
    "$prefix/bin/warpbound" analyze kernels/vecadd.ptx -l kernels/vecadd.yaml -m ecrts2025-orin \
        --accept ptx-model --deadline "$1" -o /dev/null
}
judged "$proven"
if judged $((proven - 1)); then exit 1; fi
expect 0 "vecadd: at most $proven cycles (upper by $method), deadline met" "$vecadd $proven"
expect 1 "vecadd: at most $proven cycles (upper by $method), deadline open" \
    "$vecadd $((proven - 1))"
expect 0 "deadline met" "$vecadd 100us"
expect 2 "such as '4500', '4500 cycles', '100us'" "$vecadd soon"
expect 2 "nowhere: error: " "kernels/vecadd.ptx kernels/vecadd.yaml nowhere 1000"
cat >"$prefix/unknown.yaml" <<END
kernel: bfs_level
grid: 8
block: 256
arguments: ["buf:i32[2049]", "buf:i32[8032]", "buf:i32[2048]", "buf:u8[2048]=zero", "i32:2048",
  "i32:5"]
END
# shellcheck disable=SC2016 # a label of PTX
expect 3 'loop $L__BB0_4 <= ?' "kernels/bfs_level.ptx $prefix/unknown.yaml ecrts2025-orin 1000"
