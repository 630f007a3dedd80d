#!/bin/sh
# Copies what the server reads at run time, beside its packages, from a built checkout into a folder.
# The Dockerfile and the measurement of its layers both run this.
set -eu
from=$1 to=$2

mkdir -p "$to"
cp -R "$from/dist" "$from/package.json" "$from/LICENSE" "$from/deploy/image/healthcheck.mjs" "$to"
find "$to/dist" \( -name '*.map' -o -name '.built' -o -name '.dashboard-built' \) -delete
chmod 0755 "$to/dist/cli/sluice.js"
