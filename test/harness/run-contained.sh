#!/bin/sh
# Runs a program as a container engine does: on a read-only root file system whose volumes are writable, as a user without
# capabilities. Called by `unshare --mount --pid --fork`, so that the program is process 1.
# Usage: run-contained.sh <root> <user> <working folder in it> <program in it> [argument …]
set -eu
root=$1 user=$2 folder=$3
shift 3
mount --make-rprivate /
mount --bind "$root" "$root"
for volume in "$root"/volume-*; do
  [ ! -d "$volume" ] || mount --bind "$volume" "$volume"
done
# In place of the base of the image, whose libraries Node needs.
mount --bind /usr "$root/usr"
mount -o remount,bind,ro "$root/usr"
mount --bind /dev "$root/dev"
mount -t proc proc "$root/proc"
mount -o remount,bind,ro "$root"
exec /usr/sbin/chroot "$root" /usr/bin/setpriv --reuid="$user" --regid="$user" --clear-groups --no-new-privs \
  --inh-caps=-all --bounding-set=-all /usr/bin/env --chdir="$folder" "$@"
