#!/bin/sh
# Does what k8s/overlays/evaluation and docker/compose.yaml use of the official image: on an empty folder makes a cluster, runs /docker-entrypoint-initdb.d/*.sql on a server that
# listens on the socket alone, and then becomes the server.
set -eu
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  mkdir -p "$PGDATA"
  if [ -z "${POSTGRES_PASSWORD_FILE:-}" ]; then
    POSTGRES_PASSWORD_FILE=$(mktemp)
    printf %s "$POSTGRES_PASSWORD" >"$POSTGRES_PASSWORD_FILE"
  fi
  initdb -D "$PGDATA" -U postgres --pwfile="$POSTGRES_PASSWORD_FILE" --auth-local=trust --auth-host=scram-sha-256 >/dev/null
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  pg_ctl -D "$PGDATA" -w -t 120 -o "-c listen_addresses='' -c unix_socket_directories=/var/run/postgresql" start >/dev/null
  for file in /docker-entrypoint-initdb.d/*.sql; do
    [ ! -e "$file" ] || psql -v ON_ERROR_STOP=1 -q -h /var/run/postgresql -U postgres -f "$file"
  done
  pg_ctl -D "$PGDATA" -w -m fast stop >/dev/null
fi
exec "$@" -D "$PGDATA" -c listen_addresses='*' -c unix_socket_directories=/var/run/postgresql
