#!/usr/bin/env bash
# Makes the base of a release without an image registry, for each platform: packages of Debian are unpacked and never run, so that no
# platform is emulated. Node is that of package-lock.json. `npm run release -- --base localhost/paycode-release-base` builds on it.
# Usage (as root): docker/base-without-registry.sh [linux/amd64 linux/arm64]
# Needs: apt-get install buildah mmdebstrap; network for Debian and npm. SOURCE_DATE_EPOCH (default: time of the commit) dates every file.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

export STORAGE_DRIVER=vfs SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
suite=bookworm
# The programs that Node and the commands of `ops` need: no package manager, no shell but dash.
packages='base-files,libc6,libgcc-s1,libstdc++6,ca-certificates,coreutils,dash,libacl1,libattr1,libgmp10,libselinux1,libpcre2-8-0'
base=localhost/paycode-release-base
platforms=("$@")
[ ${#platforms[@]} -gt 0 ] || platforms=(linux/amd64 linux/arm64)
work=$(mktemp -d "${TMPDIR:-/tmp}/paycode-base.XXXXXX")
trap 'rm -rf "$work"' EXIT
version=$(node -p 'require("./package-lock.json").packages["node_modules/node"].version')

# npm names processors as Node does.
npm_name() {
  case $1 in amd64) echo x64 ;; *) echo "$1" ;; esac
}

root_of() {
  local architecture=$1 root=$2
  # Scanners for vulnerabilities read the packages in status.d, as of other images without a package manager.
  mmdebstrap --quiet --mode=root --variant=extract --architectures="$architecture" --include="$packages" --extract-hook='
    mkdir -p "$1/var/lib/dpkg/status.d"
    for file in "$1"/var/cache/apt/archives/*.deb; do dpkg-deb -f "$file" >"$1/var/lib/dpkg/status.d/$(dpkg-deb -f "$file" Package)"; done
  ' "$suite" "$work/root.tar"
  mkdir "$root"
  tar -xf "$work/root.tar" -C "$root" --no-same-owner --exclude=./dev
  # The packages' own scripts did not run.
  find "$root/usr/share/ca-certificates" -name '*.crt' | LC_ALL=C sort | xargs cat >"$root/etc/ssl/certs/ca-certificates.crt"
  echo 'root:x:0:0::/root:/bin/sh' >"$root/etc/passwd"
  rm -rf "$root"/usr/share/{doc,man,locale,info} "$root"/var/{cache,log,lib/apt}
  npm pack --silent --pack-destination "$work" "node-linux-$(npm_name "$architecture")@$version" >/dev/null
  tar -xzf "$work/node-linux-$(npm_name "$architecture")-$version.tgz" -C "$work"
  install -D -m 755 "$work/package/bin/node" "$root/usr/local/bin/node"
  rm -rf "$work/package" "$work/root.tar"
}

buildah manifest exists "$base" 2>/dev/null && buildah manifest rm "$base" >/dev/null
buildah manifest create "$base" >/dev/null
for platform in "${platforms[@]}"; do
  architecture=${platform#linux/}
  root_of "$architecture" "$work/$architecture"
  container=$(buildah from --platform "$platform" scratch)
  buildah copy -q "$container" "$work/$architecture" / >/dev/null
  buildah config --env PATH=/usr/local/bin:/usr/bin:/bin --arch "$architecture" --os linux "$container"
  buildah commit -q --rm --timestamp "$SOURCE_DATE_EPOCH" --manifest "$base" "$container" >/dev/null
done
buildah manifest inspect "$base"
