#!/bin/sh
# Runs every check on a clean checkout: types, lint, tests of units, API and server rendering, then browser tests of the binary.
# Installs what the tests need: the locked packages, and from Debian Chromium, PostgreSQL, MariaDB, Redis, Dovecot, nftables, iproute2, Podman, crun, busybox, curl, Python and unzip where they are missing and can be had.
set -eu
start=$(date +%s)
cd "$(dirname "$0")/.."
. scripts/setup.sh

missing=""
# Without the window that nobody looks at, the browser takes two thirds of the processor's time.
command -v chromium-headless-shell >/dev/null 2>&1 || missing="$missing chromium-headless-shell"
[ -n "$(ls /usr/lib/postgresql/*/bin/initdb 2>/dev/null)" ] || missing="$missing postgresql"
command -v redis-server >/dev/null 2>&1 || missing="$missing redis-server"
command -v dovecot >/dev/null 2>&1 || missing="$missing dovecot-imapd"
command -v curl >/dev/null 2>&1 || missing="$missing curl"
command -v python3 >/dev/null 2>&1 || missing="$missing python3"
command -v mariadbd >/dev/null 2>&1 || missing="$missing mariadb-server"
command -v unzip >/dev/null 2>&1 || missing="$missing unzip"
# Servers that really run have their own network.
command -v nft >/dev/null 2>&1 || missing="$missing nftables"
command -v ip >/dev/null 2>&1 || missing="$missing iproute2"
# Servers of eggs with an image of their own run in Podman, with an image that the tests make.
command -v podman >/dev/null 2>&1 || missing="$missing podman"
command -v crun >/dev/null 2>&1 || missing="$missing crun"
command -v busybox >/dev/null 2>&1 || missing="$missing busybox-static"
if [ -n "$missing" ]; then
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    # shellcheck disable=SC2086 # a list of packages
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
  else
    echo "The tests need:$missing. On Debian or Ubuntu: sudo apt-get install$missing" >&2
    exit 1
  fi
fi

# Runs a part of the checks, and says how long it took.
part() {
  name=$1; shift
  echo "== $name"
  begun=$(date +%s)
  "$@"
  echo "== $name: $(($(date +%s) - begun)) s"
}

# The binary is built beside the checks of the text, as neither needs the other: building keeps one core busy.
part build bun scripts/build.ts &
building=$!
part types bun check
part lint bun run lint
part format bun fmt --no-script --check
wait "$building"
# Files of a worker share their modules: loading them anew for each took a third of the time. Three of them, since tests
# of real panels, processes and servers mostly wait. The longest files begin first, so that none is left over at the end.
# Without the last optimizing compiler (BUN_JSC_useFTLJIT=0): most code of a test runs too seldom to earn back what that
# costs, a sixth of the processor's time. The code means the same without it.
part tests bun run unit
# Why these are two runs: playwright.config.ts.
part browser bun --bun node_modules/@playwright/test/cli.js test --project=pages
part machine bun --bun node_modules/@playwright/test/cli.js test --project=machine
echo "== all: $(($(date +%s) - start)) s"
