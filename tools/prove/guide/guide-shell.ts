import { spawn } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../../..');
/** Needs a registry; the services are built without one. */
const notRun = '2. Images and generated manifests';
const payment = '7. The first payment';

/** Commands of the guide by step: of a step with an alternative (the secret store), the first block only. */
export function guideSteps(): Map<string, string> {
  const steps = [...stepsIn('docs/how-to/deploy-to-kubernetes.md', /^## (?=\d)/m)].filter(([title]) => title !== notRun);
  return new Map(steps.map(([title, blocks]) => [title, (title.includes('Secrets') ? blocks.slice(0, 1) : blocks).join('\n')]));
}

/** The blocks of each rotation of the runbook. */
export function rotations(): Map<string, string[]> {
  const sections = [...stepsIn('k8s/runbooks/rotate-secrets.md', /^### /m)];
  return new Map(sections.filter(([, blocks]) => blocks.length > 0));
}

/** The values and functions of the guide, which the blocks of the runbook need. */
export function valuesAndFunctions(): string {
  const steps = guideSteps();
  const functions = steps.get(payment)!.match(/^\w+\(\) \{.*$/gm)!;
  return [steps.get('1. Your values')!, ...functions].join('\n');
}

/** A shell function that makes a payment as the guide does and fails unless it is settled; again with another one while services take over a secret. */
export function settleFunction(reference: string): string {
  const lines = guideSteps().get(payment)!.split('\n');
  const pay = lines.slice(lines.findIndex(line => line.startsWith('code=')));
  const body = pay
    .join('\n')
    .replace('"first"', `"${reference}-'$try'"`)
    .replace(/(reversals show \$payment)/, '$1 | grep SETTLED');
  return `settle() { for try in $1-1 $1-2 $1-3 $1-4; do (${body}) && return; done; return 1; }`;
}

function stepsIn(page: string, heading: RegExp): Map<string, string[]> {
  const sections = readFileSync(join(root, page), 'utf8').split(heading).slice(1);
  return new Map(
    sections.map(section => {
      const [body] = section.split(/^## /m);
      const blocks = [...body!.matchAll(/^```shell\n([^]*?)^```$/gm)].map(match => match[1]!);
      return [section.slice(0, section.indexOf('\n')), blocks];
    }),
  );
}

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
function writeShims(folder: string): void {
  mkdirSync(folder);
  for (const [name, text] of Object.entries({ kubectl, docker, curl })) {
    const file = join(folder, name);
    writeFileSync(file, text);
    chmodSync(file, 0o755);
  }
}

const linked = ['package.json', 'tools', 'libs', 'node_modules', 'docs'];
const marker = '@@ done:';

export interface StepOutput {
  output: string;
  seconds: number;
}

/** A person's bash in the folder of the repository: a copy of the manifests, so that the own overlays do not lie in this one. */
export class GuideShell {
  private readonly env: Record<string, string>;

  constructor(
    private readonly folder: string,
    socket: string,
  ) {
    const home = join(folder, 'home');
    mkdirSync(home);
    mkdirSync(this.workspace);
    cpSync(join(root, 'k8s'), join(this.workspace, 'k8s'), { recursive: true });
    for (const name of linked) symlinkSync(join(root, name), join(this.workspace, name));
    writeShims(join(folder, 'bin'));
    // The files that the guide's values name: a key from somebody else.
    writeFileSync(join(home, 'backup-key-id'), 'id of the bucket');
    writeFileSync(join(home, 'backup-key'), 'key of the bucket');
    this.env = {
      PATH: `${join(folder, 'bin')}:${process.env['PATH']!}`,
      REAL_PATH: process.env['PATH']!,
      HOME: home,
      GUIDE_SOCKET: socket,
      GUIDE_GATEWAY_PORT_FILE: this.gatewayPortFile,
    };
  }

  get gatewayPortFile(): string {
    return join(this.folder, 'gateway-port');
  }

  /** Runs blocks one after the other in one bash, which ends with the first command that fails. @throws Error with what was printed */
  run(blocks: ReadonlyMap<string, string>): Promise<Map<string, StepOutput>> {
    const script = [...blocks].map(([title, block]) => `${block}\necho "${marker}${title} $(date +%s%3N)"`).join('\n');
    const startedMs = Date.now();
    return new Promise((resolve, reject) => {
      const bash = spawn('bash', ['-eo', 'pipefail', '-c', script], { cwd: this.workspace, env: this.env });
      let text = '';
      for (const stream of [bash.stdout, bash.stderr]) stream.setEncoding('utf8').on('data', (part: string) => (text += part));
      bash.stdin.end();
      bash.once('error', reject);
      bash.once('close', code =>
        code === 0 ? resolve(outputsIn(text, startedMs)) : reject(new Error(`bash ended with ${code}:\n${text}`)),
      );
    });
  }

  private get workspace(): string {
    return join(this.folder, 'workspace');
  }
}

function outputsIn(text: string, startedMs: number): Map<string, StepOutput> {
  let beforeMs = startedMs;
  const steps = text.split(/\n?(@@ done:.* \d+)\n/);
  const found = new Map<string, StepOutput>();
  for (let at = 1; at < steps.length; at += 2) {
    const [, title, endedMs] = /^@@ done:(.*) (\d+)$/.exec(steps[at]!)!;
    found.set(title!, { output: steps[at - 1]!, seconds: (Number(endedMs) - beforeMs) / 1_000 });
    beforeMs = Number(endedMs);
  }
  return found;
}
