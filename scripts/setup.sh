# Sourced by the other scripts: the locked packages are installed and `bun` is the pinned one. POSIX sh.
BUN_VERSION=1.4.5
if [ ! -x node_modules/.bin/bun ] || [ "$(node_modules/.bin/bun --version 2>/dev/null)" != "$BUN_VERSION" ] || [ bun.lock -nt node_modules/.installed ]; then
  if command -v npx >/dev/null 2>&1; then
    npx -y "bun@$BUN_VERSION" install --frozen-lockfile
  elif command -v bun >/dev/null 2>&1; then
    bun install --frozen-lockfile
  else
    echo "Spawnpoint needs Node with npm, or Bun. Install one of them and run this again." >&2
    exit 1
  fi
  touch node_modules/.installed
fi
PATH="$PWD/node_modules/.bin:$PATH"
export PATH
