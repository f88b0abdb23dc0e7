#!/usr/bin/env bash
# Makes one archive with every image that npm run test:node needs: the services as docker/build-without-engine.sh builds them, and two stand-ins on the same
# base, because no registry is asked: PostgreSQL (the server of node_modules, Debian's client) and the sandbox of pods, which only sleeps.
# Usage (as root): tools/check/node/node-images.sh <archive>
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
archive=$1
export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
services=(api-gateway auth-session notification-config webhook-dispatcher reversal-scheduler recipient-messages payment-simulator portal)
layout=$(mktemp -d)
trap 'rm -rf "$layout"' EXIT

PATH=$PWD/node_modules/.bin:$PATH docker/build-without-engine.sh "${services[@]}"

sandbox=$(buildah from localhost/paycode-base)
buildah config --entrypoint '["sleep", "infinity"]' "$sandbox"
buildah commit -q --rm "$sandbox" paycode-pause >/dev/null

tools/check/node/postgres-image.sh

push() { buildah push -q --disable-compression "localhost/$1" "oci:$layout:docker.io/$2" >/dev/null; }
for service in "${services[@]}"; do push "paycode/$service" "paycode/$service:local"; done
push paycode-pause paycode/pause:local
push paycode-postgres library/postgres:18-bookworm
tar -C "$layout" -cf "$archive.unfinished" .
mv "$archive.unfinished" "$archive"
