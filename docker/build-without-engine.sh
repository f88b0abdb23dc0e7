#!/usr/bin/env bash
# Builds the service images with no container engine and no image registry: Debian's buildah on a base made by debootstrap, with the
# Node that package-lock.json pins. Proves that the Dockerfile builds, starts as an unprivileged user and answers.
# Usage (as root): docker/build-without-engine.sh [service...]. Needs: apt-get install buildah debootstrap; network for Debian and npm.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
work=${PAYCODE_IMAGE_WORK:-/var/tmp/paycode-images}
suite=bookworm
services=("$@")
[ ${#services[@]} -gt 0 ] || services=(api-gateway auth-session notification-config webhook-dispatcher reversal-scheduler recipient-messages payment-simulator portal)
node=node_modules/node/bin/node
[ -x "$node" ] || { echo "run npm ci first: the base takes its Node from node_modules" >&2; exit 1; }
mkdir -p "$work"

base_image() {
  buildah inspect --type image paycode-base >/dev/null 2>&1 && return 0
  [ -d "$work/rootfs" ] || debootstrap --variant=minbase --include=ca-certificates "$suite" "$work/rootfs.new" >"$work/debootstrap.log"
  [ -d "$work/rootfs" ] || mv "$work/rootfs.new" "$work/rootfs"
  local container
  container=$(buildah from scratch)
  buildah copy -q "$container" "$work/rootfs" / >/dev/null
  buildah copy -q --chmod 755 "$container" "$node" /usr/local/bin/node >/dev/null
  buildah run "$container" -- sh -c 'rm -rf /var/cache/apt/archives/*.deb /var/lib/apt/lists/* /usr/share/doc/* /usr/share/man/* /usr/share/locale/*'
  buildah config --env PATH=/usr/local/bin:/usr/bin:/bin "$container"
  buildah commit -q --rm "$container" paycode-base >/dev/null
}

# The build stage also needs npm; the service image does not get it.
build_base_image() {
  buildah inspect --type image paycode-build-base >/dev/null 2>&1 && return 0
  local container npm
  npm=$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")
  container=$(buildah from paycode-base)
  buildah copy -q "$container" "$npm" /usr/local/lib/node_modules/npm >/dev/null
  buildah run "$container" -- ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
  buildah commit -q --rm "$container" paycode-build-base >/dev/null
}

# npm gets a registry mirror or certificate authority of this machine's network as mounted files, because neither a layer nor the image's
# settings may name them.
npmrc="$work/npmrc"
# Home of the user that builds, inside the container.
builder_home=/root
mounts=(--volume "$npmrc:$builder_home/.npmrc:ro")
userconfig=$(npm config get userconfig)
if [ -f "$userconfig" ]; then cat "$userconfig"; fi >"$npmrc"
if [ -n "${NODE_EXTRA_CA_CERTS:-}" ]; then
  mounts+=(--volume "$NODE_EXTRA_CA_CERTS:/etc/ssl/certs/build-extra-ca.pem:ro")
  echo 'cafile=/etc/ssl/certs/build-extra-ca.pem' >>"$npmrc"
fi

base_image
build_base_image
for service in "${services[@]}"; do
  started=$SECONDS
  buildah build -q --layers "${mounts[@]}" --build-arg BASE=localhost/paycode-base --build-arg BUILD_BASE=localhost/paycode-build-base \
    --build-arg "APP=$service" --target service -t "paycode/$service" -f docker/Dockerfile . >/dev/null
  printf '%s: built in %s s, ' "$service" $((SECONDS - started))
  docker/probe-image.sh "$service"
done
buildah images --format '{{.Name}} {{.Size}}' | grep paycode
