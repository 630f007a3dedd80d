#!/bin/sh
# Installs the packages that the server needs at run time into a folder with package.json, package-lock.json and .npmrc.
set -eu
scripts=$(cd "$(dirname "$0")" && pwd)
cd "$1"

npm ci --omit=dev --ignore-scripts --no-audit --no-fund --loglevel=error
sh "$scripts/trim-packages.sh" "$PWD"
