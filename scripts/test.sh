#!/usr/bin/env bash
# Runs all tests. On a fresh Debian machine, as root, it installs what it needs; elsewhere it says what is missing.
set -euo pipefail
cd "$(dirname "$0")/.."

# Installs Debian packages, once the lists are fresh.
install() {
  echo "test.sh: installing $*"
  if ! command -v apt-get >/dev/null || [ "$(id -u)" != 0 ]; then
    echo "test.sh: please install: $*" >&2
    exit 1
  fi
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

has() { command -v "$1" >/dev/null; }

missing=()
has cc || missing+=(gcc libc6-dev)
has node || missing+=(nodejs)
has npm || missing+=(npm)
# Debian's own cargo is too old; the one that it keeps for its browsers is not.
has cargo || missing+=(cargo-web rustc-web)
has chromium || missing+=(chromium)
# For the tests of plica/store. Debian keeps the server out of the path.
has postgres || [ -n "$(ls -d /usr/lib/postgresql/*/bin/postgres 2>/dev/null)" ] || missing+=(postgresql)
has firefox-esr || has firefox || missing+=(firefox-esr)
# The pictures of the viewer are of one font.
[ -e /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf ] || missing+=(fonts-dejavu-core)
[ ${#missing[@]} = 0 ] || install "${missing[@]}"

npm ci --no-audit --no-fund
exec node scripts/test.mjs "$@"
