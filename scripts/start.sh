#!/bin/sh
# Runs Spawnpoint on a bare machine: installs what is missing (Bun through npm, the locked packages), builds, and serves
# on http://127.0.0.1:3000 with SQLite under ./data. Needs Node with npm, or Bun.
set -eu
cd "$(dirname "$0")/.."
. scripts/setup.sh
bun scripts/build.ts
# As root on Linux, servers really run on this machine, in ./servers.
RUNTIME="${RUNTIME:-auto}" exec ./dist/spawnpoint serve --local "$@"
