#!/bin/sh
# Does what docker/compose.yaml uses of the official image: KAFKA_PROCESS_ROLES is process.roles, an empty volume is formatted, then the broker runs.
set -eu
properties=/tmp/server.properties
env | grep '^KAFKA_' | while IFS='=' read -r name value; do
  printf '%s=%s\n' "$(printf %s "${name#KAFKA_}" | tr 'A-Z_' 'a-z.')" "$value"
done >"$properties"
run() { memory=$1; shift; exec java "-Xmx$memory" -XX:+UseSerialGC -Djava.awt.headless=true -Dorg.slf4j.simpleLogger.defaultLogLevel=warn -cp '/opt/kafka/libs/*' "$@"; }
(run 256m kafka.tools.StorageTool format --ignore-formatted --cluster-id=AAAAAAAAQACAAAAAAAAAAA -c "$properties")
run 512m kafka.Kafka "$properties"
