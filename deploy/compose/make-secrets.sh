#!/bin/sh
# Generates the secrets of compose.yaml into deploy/compose/secrets. A secret that exists stays as it is.
set -eu
umask 077
folder=$(cd "$(dirname "$0")" && pwd)/secrets
mkdir -p "$folder"

random() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }
# Containers read the files as users of their own; on this machine only the owner of the folder reaches them.
write() {
  [ -s "$folder/$1" ] || printf '%s\n' "$2" >"$folder/$1"
  chmod 0444 "$folder/$1"
}

write postgres_password "$(random)"
write valkey_conf "requirepass $(random)"
write sluice_secret "$(random)$(random)"
write metrics_token "$(random)"
write admin_password "$(random)"
write grafana_password "$(random)"
write s3_access_key "$(random)"
write s3_secret_key "$(random)$(random)"
write s3_identities "$(printf '{"identities":[{"name":"sluice","credentials":[{"accessKey":"%s","secretKey":"%s"}],"actions":["Admin"]}]}' \
  "$(cat "$folder/s3_access_key")" "$(cat "$folder/s3_secret_key")")"
write database_url "postgres://sluice:$(cat "$folder/postgres_password")@postgres:5432/sluice"
write redis_url "redis://:$(sed -n 's/^requirepass //p' "$folder/valkey_conf")@valkey:6379"
echo "The secrets are in $folder. Keep a copy of sluice_secret: API keys cannot be verified without it."
