#!/usr/bin/env bash
# Starts the built image of a service without settings, as its own user: it must load all of its code, name the missing settings and
# exit 1. Usage: docker/probe-image.sh <service>, after docker/build-without-engine.sh.
set -euo pipefail
service=$1
export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
container=$(buildah from "localhost/paycode/$service")
trap 'buildah rm "$container" >/dev/null' EXIT

fail() { echo "FAILED: $1" >&2; exit 1; }

user=$(buildah run "$container" -- node -p 'process.getuid()')
[ "$user" = 10001 ] || fail "runs as uid $user, not 10001"
if buildah run "$container" -- node -e 'require("fs").writeFileSync("/app/x", "")' 2>/dev/null; then fail 'may write into its own code'; fi
if buildah run "$container" -- node -e 'require("child_process").execFileSync("npm", ["-v"])' 2>/dev/null; then fail 'has npm'; fi
output=$(buildah run "$container" -- node main.cjs 2>&1) && fail 'starts without settings'
grep -q "$service: environment is not usable" <<<"$output" || fail "does not load: $output"
settings=$(buildah inspect --type image --format '{{.OCIv1.Config.Env}}' "localhost/paycode/$service")
[ "$settings" = '[PATH=/usr/local/bin:/usr/bin:/bin NODE_ENV=production LISTEN_HOST=0.0.0.0]' ] || fail "carries settings of the build: $settings"
layers=$(buildah inspect --type image --format '{{len .OCIv1.RootFS.DiffIDs}}' "localhost/paycode/$service")
echo "uid 10001, code read-only, no npm, names its missing settings; $layers layers"
