#!/bin/sh
# Installs the build in the folder $1 of version $2 below a prefix, as packagers do (DESTDIR), moves
# it, uses both libraries through pkg-config and find_package, and uninstalls it again.
set -eu
there=$(mktemp -d "$1/install.XXXXXX")
trap 'rm -rf "$there"' EXIT
fail() {
    echo "$*"
    exit 1
}

install() { DESTDIR=$there/stage "$CMAKE" --install "$1" --prefix /opt/warpbound >/dev/null; }
install "$1"

# What only an older version installed is still known behind the next installation; what is not
# there any more is not.
list=$there/stage/opt/warpbound/share/warpbound/installed-files
printf '%s\n' 'share/warpbound/of [before]' share/warpbound/gone >>"$list"
touch "$there/stage/opt/warpbound/share/warpbound/of [before]"
install "$1"
grep -qx 'share/warpbound/of \[before]' "$list" ||
    fail "a file of an older installation is forgotten"
! grep -q gone "$list" || fail "a file that is not there is listed"
[ -z "$(sort "$list" | uniq -d)" ] || fail "files are listed twice"
prefix=$there/moved
mv "$there/stage/opt/warpbound" "$prefix"
shared=$(find "$prefix" -name "libwarpbound.so.$2")
libraries=$(dirname "$shared")

for file in bin/warpbound bin/warpbound-check include/warpbound.h share/doc/warpbound/LICENSE \
    share/doc/warpbound/README.md share/doc/warpbound/docs/installing.md \
    share/warpbound/machines/ecrts2025-orin.yaml share/warpbound/kernels/vecadd.ptx; do
    [ -f "$prefix/$file" ] || fail "$file is not installed"
done

# man and apropos find the pages.
if command -v mandb >/dev/null; then
    cp -r "$prefix/share/man" "$there/man"
    mandb -q -c "$there/man" >/dev/null 2>&1 || fail "mandb does not take the pages"
    for page in "warpbound-analyze (1)" "libwarpbound (3)"; do
        apropos -M "$there/man" warpbound | grep -qF "$page" || fail "apropos does not find $page"
    done
fi

# The version is the same everywhere.
major=${2%%.*}
readelf -d "$shared" | grep -q "SONAME.*\[libwarpbound.so.$major\]" ||
    fail "the library's name is not libwarpbound.so.$major"
[ "$(readlink -f "$libraries/libwarpbound.so.$major")" = \
    "$(readlink -f "$libraries/libwarpbound.so")" ] || fail "links differ"
[ "$("$prefix/bin/warpbound" --version)" = "warpbound $2" ] ||
    fail "the command has another version than $2"

# With CBC come libraries that end the process where memory is exhausted: they are for the child
# that solves.
if readelf -d "$shared" | grep -qi "NEEDED.*\(cbc\|gfortran\)"; then
    fail "the library needs CBC from the start"
fi

# The shared library has the functions of the headers, all and alone.
for header in "$prefix"/include/warpbound*.h; do "$CC" -I"$prefix/include" -E "$header"; done |
    grep -oE '\bwb_[a-z0-9_]+ *\(' | tr -d ' (' | sort -u >"$there/declared"
nm -D --defined-only "$shared" | sed -n 's/.* [B-Z] \([^@]*\).*/\1/p' | sort >"$there/exported"
[ -s "$there/exported" ] || fail "the shared library exports nothing"
diff "$there/declared" "$there/exported" ||
    fail "< is declared in a header, > is exported by the shared library"

# pkg-config; the linker is told which of the two libraries to take.
PKG_CONFIG_PATH=$libraries/pkgconfig
export PKG_CONFIG_PATH
[ "$("$PKG_CONFIG" --modversion warpbound)" = "$2" ] ||
    fail "warpbound.pc has another version than $2"
# shellcheck disable=SC2046 # words
"$CC" -Wall -Wextra -Werror tests/install/version.c $("$PKG_CONFIG" --cflags --libs warpbound) \
    -o "$there/shared"
# shellcheck disable=SC2046 # words
"$CC" tests/install/version.c $("$PKG_CONFIG" --static --cflags --libs warpbound |
    sed 's/-lwarpbound/-l:libwarpbound.a/') \
    -o "$there/static"

# find_package
mkdir "$there/user"
cp tests/install/version.c "$there/user"
cat >"$there/user/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.22)
project(user LANGUAGES C)
find_package(warpbound ${2%.*} REQUIRED COMPONENTS shared static)
add_executable(usual version.c)
target_link_libraries(usual PRIVATE warpbound::warpbound)
add_executable(static version.c)
target_link_libraries(static PRIVATE warpbound::static)
END
"$CMAKE" -G Ninja -S "$there/user" -B "$there/user/build" -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_C_COMPILER="$CC" \
    >"$there/log" 2>&1 || fail "$(cat "$there/log")"
"$CMAKE" --build "$there/user/build" >"$there/log" 2>&1 || fail "$(cat "$there/log")"

# check PROGRAM USES: what it prints, and whether it needs the shared library.
check() {
    needed=no
    if readelf -d "$1" | grep -q "NEEDED.*libwarpbound"; then needed=yes; fi
    [ $needed = "$2" ] || fail "$1 needs the shared library: $needed"
    printed=$(LD_LIBRARY_PATH=$libraries "$1")
    case $printed in "$version $version" | "$version $version "*) ;;
    *) fail "$1 printed $printed, not $version" ;;
    esac
}
version=$2
check "$there/shared" yes
check "$there/static" no
check "$there/user/build/usual" yes
check "$there/user/build/static" no

# Nothing is left, neither of files nor of folders of its own; what others put there stays. A prefix
# is no pattern.
mv "$prefix" "$there/moved [1]"
prefix="$there/moved [1]"
for others in bin/other share/warpbound/other share/warpbound/machines/.other; do
    touch "$prefix/$others"
done
cp "$prefix/share/warpbound/installed-files" "$there/list"
"$CMAKE" -D PREFIX="$prefix" -P cmake/uninstall.cmake
for others in bin/other share/warpbound/other share/warpbound/machines/.other; do
    rm "$prefix/$others" || fail "a file of others was removed"
done
mv "$there/list" "$prefix/share/warpbound/installed-files"
"$CMAKE" -D PREFIX="$prefix" -P cmake/uninstall.cmake # the folders, now that they are empty
left=$(find "$prefix" ! -type d -o -name '*warpbound*')
[ -z "$left" ] || fail "uninstalled, but there are still: $left"
if "$CMAKE" -D PREFIX="$prefix" -P cmake/uninstall.cmake 2>/dev/null; then
    fail "what is not installed was uninstalled"
fi
