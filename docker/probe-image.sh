#!/usr/bin/env bash
# Starts a built image as its own user. A service without settings must load all of its code, name the missing settings and exit 1; the commands of
# `ops` must show their usage. Usage: docker/probe-image.sh <service or ops>, by docker/build-without-engine.sh.
set -euo pipefail
image=$1
export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
container=$(buildah from "localhost/paycode/$image")
trap 'buildah rm "$container" >/dev/null' EXIT

fail() { echo "FAILED: $1" >&2; exit 1; }

probe_service() {
  local output
  output=$(buildah run "$container" -- node main.cjs 2>&1) && fail 'starts without settings'
  grep -q "$image: environment is not usable" <<<"$output" || fail "does not load: $output"
  # The driver is found by a name that no bundler sees; port 1 refuses.
  [ "$image" = api-gateway ] || {
    output=$(buildah run --env DATABASE_URL="postgres://nobody:none@127.0.0.1:1/none?connect_timeout=600" "$container" -- node main.cjs migrate 2>&1) && fail 'migrates without a server'
    grep -q ECONNREFUSED <<<"$output" || fail "has no driver of PostgreSQL: $output"
  }
  settings_are '[PATH=/usr/local/bin:/usr/bin:/bin NODE_ENV=production LISTEN_HOST=0.0.0.0]'
  echo "uid 10001, code read-only, no npm, names its missing settings; $(layers) layers"
}

probe_ops() {
  says 'Usage: paycode' paycode --help
  says 'there is --list' redrive none.dlq --wrong
  says 'Compares verdicts' audit --help
  settings_are '[NODE_ENV=production PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/app]'
  echo "uid 10001, code read-only, no npm, its commands start; $(layers) layers"
}

# says <text> <command...>: in the container, whatever the exit code.
says() {
  local text=$1 output
  shift
  output=$(buildah run "$container" -- "$@" 2>&1) || true
  grep -qF "$text" <<<"$output" || fail "$1 says not \"$text\" but: $output"
}

settings_are() {
  local found
  found=$(buildah inspect --type image --format '{{.OCIv1.Config.Env}}' "localhost/paycode/$image")
  [ "$found" = "$1" ] || fail "carries settings of the build: $found"
}

layers() { buildah inspect --type image --format '{{len .OCIv1.RootFS.DiffIDs}}' "localhost/paycode/$image"; }

user=$(buildah run "$container" -- node -p 'process.getuid()')
[ "$user" = 10001 ] || fail "runs as uid $user, not 10001"
if buildah run "$container" -- node -e 'require("fs").writeFileSync("/app/x", "")' 2>/dev/null; then fail 'may write into its own code'; fi
if buildah run "$container" -- node -e 'require("child_process").execFileSync("npm", ["-v"])' 2>/dev/null; then fail 'has npm'; fi
if [ "$image" = ops ]; then probe_ops; else probe_service; fi
