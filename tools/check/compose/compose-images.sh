#!/usr/bin/env bash
# Makes every image that docker/compose.yaml names, in podman's own store, without a registry: the project's as docker/build-without-engine.sh builds them, and
# stand-ins on the same base for the three of others: PostgreSQL (as npm run test:node has it), Kafka (from Maven's jars, on Debian's Java) and a mailbox.
# Usage (as root): tools/check/compose/compose-images.sh <folder with Kafka's jars>
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
jars=$1
export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
here=tools/check/compose
services=(api-gateway auth-session notification-config webhook-dispatcher reversal-scheduler recipient-messages payment-simulator portal)

PATH=$PWD/node_modules/.bin:$PATH docker/build-without-engine.sh "${services[@]}" setup
for service in "${services[@]}"; do buildah tag "localhost/paycode/$service" "localhost/paycode/$service:local"; done
tools/check/node/postgres-image.sh

if ! buildah inspect --type image paycode-java-base >/dev/null 2>&1; then
  java=$(buildah from localhost/paycode-base)
  buildah run --env PATH=/usr/sbin:/usr/bin:/sbin:/bin "$java" -- sh -c 'mkdir -p /usr/share/man/man1 && apt-get update -qq &&
    apt-get install -qq -y --no-install-recommends openjdk-17-jre-headless >/dev/null && rm -rf /var/lib/apt/lists/*' >/dev/null
  buildah commit -q --rm "$java" paycode-java-base >/dev/null
fi
kafka=$(buildah from localhost/paycode-java-base)
buildah copy -q "$kafka" "$jars" /opt/kafka/libs >/dev/null
buildah copy -q --chmod 755 "$kafka" "$here/kafka-entrypoint.sh" /usr/local/bin/kafka-entrypoint.sh >/dev/null
buildah copy -q --chmod 755 "$kafka" "$here/kafka-broker-api-versions.sh" /opt/kafka/bin/kafka-broker-api-versions.sh >/dev/null
buildah config --entrypoint '["kafka-entrypoint.sh"]' "$kafka"
buildah commit -q --rm "$kafka" paycode-kafka >/dev/null

mail=$(buildah from localhost/paycode-base)
buildah copy -q "$mail" "$here/mailbox.cjs" /mailbox.cjs >/dev/null
buildah config --entrypoint '["node", "/mailbox.cjs"]' "$mail"
buildah commit -q --rm "$mail" paycode-mail >/dev/null
