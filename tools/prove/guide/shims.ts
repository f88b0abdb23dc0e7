import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Hands a command to the test, which plays the cluster; kustomize is the real one. */
const kubectl = `#!/usr/bin/env node
const { spawnSync } = require('node:child_process');
const { readFileSync } = require('node:fs');
const { request } = require('node:http');
const words = process.argv.slice(2);
if (words[0] === 'kustomize') {
  const { status } = spawnSync('kubectl', words, { stdio: 'inherit', env: { ...process.env, PATH: process.env.REAL_PATH } });
  process.exit(status ?? 1);
}
const stdin = words.includes('-i') ? readFileSync(0, 'utf8') : '';
const call = request({ socketPath: process.env.GUIDE_SOCKET, method: 'POST' }, answer => {
  const out = answer.statusCode === 200 ? process.stdout : process.stderr;
  answer.on('data', chunk => out.write(chunk));
  answer.on('end', () => (process.exitCode = answer.statusCode === 200 ? 0 : 1));
});
call.end(JSON.stringify({ words, folder: process.cwd(), stdin }));
`;

/** No image is built: each has a digest of its own. */
const docker = `#!/bin/sh
[ "$1 $2 $3" = "image inspect --format" ] || { echo "docker $*: not known here" >&2; exit 1; }
echo "\${5%:*}@sha256:$(printf %s "$5" | sha256sum | cut -d' ' -f1)"
`;

/** The client's name service: the host of the guide is the gateway of this machine. */
const curl = `#!/bin/sh
PATH=$REAL_PATH exec curl --connect-to "$HOST:443:127.0.0.1:$(cat "$GUIDE_GATEWAY_PORT_FILE")" "$@"
`;

/** Puts programs before those of the machine, in a new folder. */
export function writeShims(folder: string): void {
  mkdirSync(folder);
  for (const [name, text] of Object.entries({ kubectl, docker, curl })) {
    const file = join(folder, name);
    writeFileSync(file, text);
    chmodSync(file, 0o755);
  }
}
