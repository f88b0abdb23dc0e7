#!/usr/bin/env bash
# Builds images with no container engine and no image registry: Debian's buildah on a base made by debootstrap, with the Node that
# package-lock.json pins. Proves that the Dockerfile builds, starts as an unprivileged user and answers.
# Usage (as root): docker/build-without-engine.sh [--trial] [service, ops or setup...]; default: every service.
# --trial: keeps nothing, and takes the base from this machine's own programs instead of debootstrap (quicker; the image is not for use elsewhere).
# Needs: apt-get install buildah debootstrap (--trial: buildah); network for Debian and npm.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
suite=bookworm
trial=''
if [ "${1:-}" = --trial ]; then
  trial=yes
  shift
fi
images=("$@")
[ ${#images[@]} -gt 0 ] || images=(api-gateway auth-session notification-config webhook-dispatcher reversal-scheduler recipient-messages payment-simulator portal)
node=node_modules/node/bin/node
[ -x "$node" ] || { echo "run npm ci first: the base takes its Node from node_modules" >&2; exit 1; }

if [ -n "$trial" ]; then
  work=$(mktemp -d "${TMPDIR:-/tmp}/paycode-images.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  # Every layer of vfs is a whole copy, so none is kept but the last of a stage.
  layers=--layers=false
  export CONTAINERS_STORAGE_CONF=$work/storage.conf
  printf '[storage]\ndriver = "vfs"\ngraphroot = "%s/storage"\nrunroot = "%s/run"\n' "$work" "$work" >"$CONTAINERS_STORAGE_CONF"
else
  work=${PAYCODE_IMAGE_WORK:-/var/tmp/paycode-images}
  layers=--layers=true
  mkdir -p "$work"
fi

debian_root() {
  [ -d "$work/rootfs" ] && return 0
  debootstrap --variant=minbase --include=ca-certificates "$suite" "$work/rootfs.new" >"$work/debootstrap.log"
  mv "$work/rootfs.new" "$work/rootfs"
}

# The few programs that the steps of the Dockerfile call, with the libraries that they and Node load, and the C library whole, for native packages.
machine_root() {
  local programs=(/bin/sh /usr/bin/env /bin/chmod /bin/rm /bin/ln /bin/sleep) file
  mkdir -p "$work"/rootfs/{bin,etc/ssl/certs,root,tmp,usr/bin}
  chmod 1777 "$work/rootfs/tmp"
  echo 'root:x:0:0::/root:/bin/sh' >"$work/rootfs/etc/passwd"
  for file in "${programs[@]}" $(ldd "$node" "${programs[@]}" | grep -oE '/[^ ]+\.so[^ ]*') $(dpkg -L libc6 | grep -E '\.so\.[0-9]+$') /etc/ssl/certs/ca-certificates.crt; do
    mkdir -p "$work/rootfs$(dirname "$file")"
    cp -L "$file" "$work/rootfs$file"
  done
}

base_image() {
  buildah inspect --type image paycode-base >/dev/null 2>&1 && return 0
  if [ -n "$trial" ]; then machine_root; else debian_root; fi
  local container
  container=$(buildah from scratch)
  buildah copy -q "$container" "$work/rootfs" / >/dev/null
  buildah copy -q --chmod 755 "$container" "$node" /usr/local/bin/node >/dev/null
  [ -n "$trial" ] || buildah run "$container" -- sh -c 'rm -rf /var/cache/apt/archives/*.deb /var/lib/apt/lists/* /usr/share/doc/* /usr/share/man/* /usr/share/locale/*'
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

# npm gets a registry mirror or certificate authority of this machine's network, and what it has downloaded before, as mounted files, because neither
# a layer nor the image's settings may hold them.
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
cache=$(npm config get cache)
if [ -n "$trial" ] && [ -d "$cache" ]; then
  mounts+=(--volume "$cache:$builder_home/.npm")
  echo 'prefer-offline=true' >>"$npmrc"
fi

base_image
build_base_image
for image in "${images[@]}"; do
  started=$SECONDS
  case "$image" in ops | setup) target=$image ;; *) target=service ;; esac
  # Inside, npm opens more files at once than the 1,024 that buildah allows.
  buildah build -q "$layers" --ulimit "nofile=$(ulimit -Hn)" "${mounts[@]}" --build-arg BASE=localhost/paycode-base --build-arg BUILD_BASE=localhost/paycode-build-base \
    --build-arg "APP=$image" --target "$target" -t "paycode/$image" -f docker/Dockerfile . >/dev/null
  printf '%s: built in %s s, ' "$image" $((SECONDS - started))
  if [ "$image" = setup ]; then echo 'started by compose alone'; else docker/probe-image.sh "$image"; fi
done
buildah images --format '{{.Name}} {{.Size}}' | grep paycode
