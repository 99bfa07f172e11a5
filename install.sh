#!/bin/sh
# Installs Candor from a release archive, without Rust: sh install.sh --help
set -eu

usage() {
    cat <<'TEXT'
sh install.sh [--from PLACE] [--prefix FOLDER]

Installs the command candor from a release archive.

--from PLACE     the archive, or the folder or the URL that holds it with its SHA256SUMS; default: the folder of this script
--prefix FOLDER  where bin/candor is written; default: $HOME/.local
TEXT
}

fail() {
    echo "install.sh: $1; nothing was installed" >&2
    exit "${2:-1}"
}

from=$(dirname -- "$0")
prefix=
while [ $# -gt 0 ]; do
    case $1 in
        --from | --prefix)
            [ $# -ge 2 ] && [ -n "$2" ] || fail "$1 needs a value" 2
            if [ "$1" = --from ]; then from=$2; else prefix=$2; fi
            shift 2
            ;;
        --help | -h)
            usage
            exit 0
            ;;
        *) fail "there is no option $1; expected --from or --prefix" 2 ;;
    esac
done
[ -n "$prefix" ] || { [ -n "${HOME:-}" ] && prefix=$HOME/.local; } || fail "HOME is not set; give --prefix" 2

case $from in file://*) from=${from#file://} ;; esac
[ "$(uname -s)" = Linux ] || fail "archives are for Linux, and this is $(uname -s)"
ours="candor-*-$(uname -m)-unknown-linux-gnu.tar.gz"

# The place that holds the archive, and the name of the archive where it is given.
name=
case $from in
    *.tar.gz)
        name=${from##*/}
        case $from in */*) from=${from%/*} ;; *) from=. ;; esac
        ;;
esac
from=${from%/}

# A program is moved into a folder of its name, and would not be found there.
[ ! -d "$prefix/bin/candor" ] || fail "$prefix/bin/candor is a folder; move it, or give another --prefix"
# The folders that this script makes, the deepest first. Those that a failure leaves empty go, too.
made=
work=
leave() {
    [ -z "$work" ] || rm -rf -- "$work"
    printf %s "$made" | while IFS= read -r folder; do rmdir -- "$folder" 2>/dev/null || :; done
}
trap leave EXIT
trap 'exit 1' HUP INT TERM
at=$prefix/bin
while [ ! -d "$at" ]; do
    made="$made$at
"
    case $at in */*) at=${at%/*} ;; *) at=. ;; esac
    at=${at:-/}
done
mkdir -p -- "$prefix/bin" 2>/dev/null || fail "$prefix/bin cannot be made"
# On the file system of the prefix, so that the program is moved in one step.
work=$(mktemp -d "$prefix/bin/.candor-XXXXXX" 2>/dev/null) || fail "$prefix/bin cannot be written"

# The file of that name, in $work.
get() {
    case $from in
        http://* | https://*)
            if command -v curl >/dev/null; then
                curl -fsSL -o "$work/$1" -- "$from/$1"
            elif command -v wget >/dev/null; then
                wget -q -O "$work/$1" -- "$from/$1"
            else
                fail "$from needs curl or wget, and neither is on this machine"
            fi
            ;;
        *) cp -- "$from/$1" "$work/$1" 2>/dev/null ;;
    esac || fail "$from/$1 cannot be read"
}

get SHA256SUMS
expected=
while read -r sum file || [ -n "$sum" ]; do
    file=${file#\*}
    # shellcheck disable=SC2254
    case $file in
        ${name:-$ours})
            [ -z "$expected" ] || fail "$from/SHA256SUMS has more than one archive for this machine; name one with --from"
            expected=$sum archive=$file
            ;;
    esac
done <"$work/SHA256SUMS"
[ -n "$expected" ] || fail "$from/SHA256SUMS has no ${name:-$ours}"

get "$archive"
if command -v sha256sum >/dev/null; then
    found=$(sha256sum <"$work/$archive")
elif command -v shasum >/dev/null; then
    found=$(shasum -a 256 <"$work/$archive")
else
    fail "the archive cannot be checked: neither sha256sum nor shasum is on this machine"
fi
found=${found%% *}
[ "$found" = "$expected" ] ||
    fail "$archive has the SHA-256 $found, expected $expected: it is damaged or cut off; fetch it again"

mkdir "$work/unpacked"
gzip -dc <"$work/$archive" 2>/dev/null | tar -xf - -C "$work/unpacked" 2>/dev/null || fail "$archive cannot be unpacked"
folder=$work/unpacked/${archive%.tar.gz}
version=$("$folder/candor" --version 2>/dev/null) || fail "the candor of $archive does not start on this machine"

mv -f -- "$folder/candor" "$prefix/bin/candor" 2>/dev/null || fail "$prefix/bin/candor cannot be replaced"
made=
# The completions and licences come after the program, which works without them.
share() {
    mkdir -p -- "$prefix/share/$2" && cp -- "$folder/$1" "$prefix/share/$2/${3:-}" ||
        echo "install.sh: $prefix/share/$2 cannot be written, so $1 is left out" >&2
}
share completions/candor.bash bash-completion/completions candor
share completions/candor.fish fish/vendor_completions.d
share completions/_candor zsh/site-functions
for text in LICENSE-APACHE LICENSE-MIT; do share "$text" doc/candor; done

echo "$version is installed: $prefix/bin/candor"
case :$PATH: in
    *":$prefix/bin:"*) ;;
    *) echo "Add it to your shell's PATH: export PATH=\"$(cd "$prefix/bin" && pwd):\$PATH\"" ;;
esac
