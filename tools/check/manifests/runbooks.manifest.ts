import { spawnSync } from 'node:child_process';
import { closeSync, globSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@paycode/service-runtime';
import type { Command } from 'commander';
import { operatorProgram } from '../../../apps/operations/src/paycode/program';
import { topicOfDeadLetters } from '../../../apps/operations/src/redrive/redrive-dead-letters';
import { render, renderWithBase } from './render';

const root = join(__dirname, '../../..');
/** How-to pages of those who run the platform in a cluster; the others are for integrators, and for one machine. */
const howTos = [
  'back-up-and-restore',
  'connect-your-payment-core',
  'control-outbound-requests',
  'deploy-to-kubernetes',
  'erase-a-payers-data',
  'external-authorization',
  'rotate-key-encryption-keys',
  'send-email-and-sms',
  'use-managed-postgresql-and-kafka',
];
const texts = [
  ...readdirSync(join(root, 'k8s/runbooks')).map(name => `k8s/runbooks/${name}`),
  ...howTos.map(name => `docs/how-to/${name}.md`),
].map((page): [page: string, text: string] => [page, readFileSync(join(root, page), 'utf8')]);

/** Values for what a reader fills in; any other blank gets an `x`. */
const filledIn: Record<string, string> = { service: 'webhook-dispatcher', transactionId: '7', 'addresses...': '192.0.2.1' };
/** Commands on folders that the reader made, and a plugin of kubectl. */
const elsewhere = /kubectl (apply|delete|kustomize|cnpg)|apply --server-side|<<|port-forward/;

/** Commands into the cluster: lines of `shell` blocks, continued where the shell would read on, and code in sentences. */
function commandsOf(text: string): string[] {
  const blocks = [...text.matchAll(/```shell\n([^]*?)```/g)].flatMap(([, block]) => wholeLines(block!.split('\n')));
  const inline = [...text.replaceAll(/```[^]*?```/g, '').matchAll(/`((?:a=\S+ && )?kubectl -n [^`]+)`/g)].map(([, code]) =>
    code!.replaceAll('\n', ' '),
  );
  return [...blocks, ...inline]
    .map(line => line.replaceAll(/<([\w ]+(?:\.\.\.)?)>/g, (_, name: string) => filledIn[name] ?? 'x').trim())
    .filter(line => /^(a=\S+ && |cat [^|]*\| *)?kubectl -n \w+ \w/.test(line) && !elsewhere.test(line));
}

function wholeLines(lines: readonly string[]): string[] {
  const whole: string[] = [];
  let open = '';
  for (const line of lines) {
    open += line;
    if (spawnSync('bash', ['-n'], { input: open }).status === 0 && !open.endsWith('\\')) {
      whole.push(open);
      open = '';
    } else open += '\n';
  }
  return whole;
}

/** Answers as a cluster would, and keeps the words of each call, which the shell has taken apart. */
const standIn = `
kubectl() {
  printf '%s\\036' "$@" >> calls; printf '\\035' >> calls
  local name=webhook-dispatcher word
  for word; do case $word in app.kubernetes.io/name=*|deployment/*) name=\${word##*[=/]};; esac; done
  case " $* " in *' -i '*) cat > /dev/null ;; esac
  case " $* " in *' logs '*) cat "logs/$name" ;; *jsonpath*) echo eA== ;; *' get '*) cat resources ;; esac
}
set -o pipefail
`;

describe('every command of the runbooks and of the pages for operators', () => {
  const commands = texts.flatMap(([page, text]) => commandsOf(text).map((command): [string, string] => [page, command]));
  const resources = [
    ...renderWithBase('components/ops', 'components/keda'),
    ...renderWithBase('components/hpa'),
    ...render('k8s/base/payment-simulator'),
    ...render('k8s/overlays/data-services'),
    ...render('k8s/overlays/two-cells'),
  ];
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'runbooks-'));
    mkdirSync(join(folder, 'logs'));
    for (const service of readdirSync(join(root, 'apps'))) writeLogOf(service, join(folder, 'logs', service));
    const names = resources.map(({ metadata }) => `${metadata.name}-1 ${JSON.stringify(metadata)}`);
    writeFileSync(join(folder, 'resources'), [...names, JSON.stringify(resources, null, 1)].join('\n'));
    for (const file of ['operator.token', 'contact.txt']) writeFileSync(join(folder, file), 'x\n');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('is found by this test', () => expect(commands.length).toBeGreaterThan(60));

  it.each(commands)('%s: %s: runs, shows a line where it looks for one, and kubectl knows its options', (_page, command) => {
    rmSync(join(folder, 'calls'), { force: true });
    const ran = spawnSync('bash', ['--norc', '-uc', standIn + command], {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], T: 'x', SECRETS: '.', service: 'portal' },
    });
    expect([ran.stderr, ran.status]).toEqual(['', 0]);
    if (command.includes('grep')) expect(ran.stdout).not.toBe('');
    const made = readFileSync(join(folder, 'calls'), 'utf8').split('\u001e\u001d').slice(0, -1);
    expect(made.length).toBeGreaterThan(0);
    for (const words of made.map(call => call.split('\u001e'))) {
      expect(unknownOf(words)).toEqual([]);
      expect(spawnSync('kubectl', [...nowhere, ...words], { encoding: 'utf8', input: '' }).stderr).toMatch(
        /was refused|connection refused/,
      );
      const inPod = words.includes('--') ? words.slice(words.indexOf('--') + 1) : [];
      if (inPod[0] === 'paycode') parse(inPod.slice(1));
      if (inPod[0] === 'redrive') topicOfDeadLetters(inPod[1]!);
    }
  });

  /** Names in a command that no manifest has. */
  function unknownOf(words: readonly string[]): string[] {
    const named = words
      .join(' ')
      .matchAll(/\b(?:deploy(?:ment)?|cronjob|scaledobject|hpa)[/ ]([a-z][a-z-]{2,})|app\.kubernetes\.io\/name=([a-z-]+)/g);
    return [...named]
      .map(([, name, label]) => name ?? label!)
      .filter(name => !resources.some(({ metadata }) => metadata.name === name));
  }
});

/** An API server that is not there: kubectl reads its options before it connects. */
const nowhere = ['--kubeconfig=/dev/null', '--server=http://127.0.0.1:1'];

/** @throws CommanderError for a command that does not exist, or an argument or option that it does not take */
function parse(words: readonly string[]): void {
  withoutActions(operatorProgram(() => undefined)).parse(words, { from: 'user' });
}

function withoutActions(command: Command): Command {
  command.exitOverride().configureOutput({ writeErr: () => undefined });
  if (command.commands.length === 0) command.action(() => undefined);
  command.commands.forEach(withoutActions);
  return command;
}

/**
 * A line, by the services' own logger, of each event and message that the code of a service can log. A call whose event is a variable has the
 * texts of its file.
 */
function writeLogOf(service: string, file: string): void {
  const descriptor = openSync(file, 'w');
  const logger = createLogger(service, 'info', descriptor);
  for (const path of globSync([`apps/${service}/src/**/*.ts`, 'libs/*/src/**/*.ts'], { cwd: root })) {
    if (path.includes('.spec.') || path.includes('/testing/')) continue;
    const text = readFileSync(join(root, path), 'utf8');
    for (const [, level, said] of text.matchAll(/\blog(?:ger)?\b[!?]?\.(info|warn|error|fatal)\(([^]*?)\);/g))
      for (const [, words] of (/event: \w/.test(said!) ? text : said!).matchAll(/'([^'\n]+)'/g))
        logger[level as 'warn']({ event: words, outcome: words }, words);
  }
  closeSync(descriptor);
}

describe('pages of operators', () => {
  const commandsBehind = (pattern: RegExp) =>
    texts.flatMap(([page, text]) => [...text.matchAll(pattern)].map(([, words]) => `${page}: ${words!.trim()}`));

  it('no command that calls a service is shown in a form for one machine only', () => {
    // A sentence may name that form beside the line, for readers who try it out.
    const local = commandsBehind(/^(?!.*platform of `npm start`).*npm run -s paycode -- ([^`|\n]+)/gm);
    expect(local.length).toBeGreaterThan(5);
    expect(local.filter(command => !onFiles.test(`${command.replace(/^.*?: /, '')} `))).toEqual([]);
  });
});

/** Commands on files of whoever holds them; they call no service. */
const onFiles = /^(secrets init|operators (issue|revoke)|login|keys (make|renew|retire)) /;
