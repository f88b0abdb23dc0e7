/**
 * `npm run prove -- generators`: writes an event, a setting, two capabilities and a channel with `npm run new` into a copy of this tree, and runs
 * the checks that the new files could break on the copy. A check must name each part that only a person can write. Exits 1 with their output.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommandError, run } from './gates/run.ts';

const root = join(import.meta.dirname, '../..');

/** As a person would type it, after `npm run new --`. */
const commands = [
  ['event', 'code-expired', '--from', 'payment-simulator', '--to', 'webhook-dispatcher,reversal-scheduler'],
  [
    'setting',
    'webhook-dispatcher',
    'POSTS_PER_ORIGIN_MAX',
    '--type',
    'integer',
    '--default',
    '8',
    '--min',
    '1',
    '--says',
    'Most POSTs at once.',
  ],
  ['capability', 'notification-config', 'opening-hours'],
  ['capability', 'webhook-dispatcher', 'quiet-hours'],
  ['channel', 'PUSH'],
];
/** The findings that the checks of settings and events must report in the copy, and no others. */
const leftToDo = [
  'apps/webhook-dispatcher: nothing reads the setting POSTS_PER_ORIGIN_MAX',
  "apps/webhook-dispatcher: no @OnEvents(topics.codeExpired, { group: 'webhook-dispatcher-code-expired' })",
  "apps/reversal-scheduler: no @OnEvents(topics.codeExpired, { group: 'reversal-scheduler-code-expired' })",
  'apps/payment-simulator: it produces paycode.code.expired.v1',
];
/** Specs that try every event, every channel against its check constraint and its pages, and every schema. */
const specsOfAll = [
  'libs/dto/src/events/events.spec.ts',
  'libs/dto/src/events/topic-catalog.spec.ts',
  'tools/check/docs/pages-name-all.spec.ts',
  'apps/recipient-messages/src/messages/message.queue.int.spec.ts',
  'tools/check/schema/schema.int.spec.ts',
];
/** Commands that must be refused, and the expected text. */
const refused: [args: string[], words: string][] = [
  [['event', 'AckReceived', '--from', 'payment-simulator', '--to', 'webhook-dispatcher'], 'kebab-case'],
  [['event', 'ack-received', '--from', 'payment-simulator', '--to', 'webhook-dispatcher'], 'is there already'],
  [['event', 'code-sold', '--from', 'nobody', '--to', 'webhook-dispatcher'], 'no service nobody'],
  [['setting', 'webhook-dispatcher', 'ACK_WINDOW_MS', '--says', 'x'], 'ACK_WINDOW_MS already'],
  [['setting', 'webhook-dispatcher', 'NOTE', '--max', '9', '--says', 'x'], 'of an integer'],
  [['capability', 'webhook-dispatcher', 'intake'], 'is there already'],
  [['capability', 'webhook-dispatcher'], 'usage'],
  [['channel', 'push'], 'in capitals'],
  [['channel', 'SMS'], 'SMS already'],
];

async function main(): Promise<void> {
  mkdirSync(join(root, '.cache'), { recursive: true });
  // Inside the project, so that packages resolve as they do for the project itself.
  const copy = mkdtempSync(join(root, '.cache/generators-'));
  try {
    await copyTree(copy);
    for (const [args, words] of refused) await isRefused(copy, args, words);
    for (const args of commands) await add(copy, args);
    const { stdout } = await git(copy, ['status', '--porcelain', '--untracked-files=all']);
    const written = stdout.split('\n').flatMap(line => line.slice(3) || []);
    for (const [name, gate] of gatesOf(copy, written)) await pass(name, gate);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

async function copyTree(copy: string): Promise<void> {
  const { stdout } = await git(root, ['ls-files', '--cached', '--others', '--exclude-standard', '-z']);
  for (const file of stdout.split('\0').filter(name => name !== '')) cpSync(join(root, file), join(copy, file), { force: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  await git(copy, ['init', '--quiet']);
  writeFileSync(join(copy, '.git/info/exclude'), 'node_modules\n');
  await git(copy, ['add', '--all']);
  const author = ['-c', 'user.name=test', '-c', 'user.email=test@shop.example'];
  await git(copy, [...author, 'commit', '--quiet', '--no-verify', '--message', 'before']);
}

async function add(copy: string, args: string[]): Promise<void> {
  const { stdout } = await run('node', ['tools/run.cjs', 'check/new', ...args], { cwd: copy });
  console.log(`npm run new -- ${args.join(' ')}\n${stdout}`);
  const named = [...stdout.matchAll(/\b(?:apps|libs|tools|docs)\/[\w./-]*\w/g)].map(([path]) => path);
  const gone = named.filter(path => !existsSync(join(copy, path)));
  if (gone.length > 0) throw new Error(`npm run new -- ${args.join(' ')} names what is not there: ${gone.join(', ')}`);
}

async function isNamed(copy: string): Promise<void> {
  const { code, stdout } = await run('node', ['tools/run.cjs', 'check/check', 'settings', 'events'], {
    cwd: copy,
    mayFail: true,
  });
  const named = stdout.split('\n').flatMap(line => /^ {5}(\S.*)$/.exec(line)?.[1] ?? []);
  const isAll = named.length === leftToDo.length && leftToDo.every(words => named.some(line => line.startsWith(words)));
  if (code !== 1 || !isAll) throw new Error(`the checks of settings and events must name what is left to do:\n${stdout}`);
}

async function isRefused(copy: string, args: string[], words: string): Promise<void> {
  const { code, stderr } = await run('node', ['tools/run.cjs', 'check/new', ...args], { cwd: copy, mayFail: true });
  const { stdout } = await git(copy, ['status', '--porcelain']);
  if (code !== 1 || !stderr.includes(words) || stdout !== '')
    throw new Error(
      `npm run new -- ${args.join(' ')} must be refused for "${words}" and write nothing: exit ${code}, ${stderr}${stdout}`,
    );
}

/** Each throws when the written files have a problem. */
function gatesOf(copy: string, written: string[]): [name: string, gate: () => Promise<unknown>][] {
  const sources = written.filter(file => file.endsWith('.ts'));
  const specs = [...specsOfAll, ...sources.filter(file => file.endsWith('.spec.ts'))];
  // Kafka and the folder of reports are those of the run around this one.
  const env = { KAFKA_BROKERS: '', PAYCODE_REQUIRE_KAFKA: '', PAYCODE_TEST_REPORTS: '' };
  const inCopy = (command: string, args: string[]) => () => run(command, args, { cwd: copy, env });
  return [
    ['settings and events name what is left to do', () => isNamed(copy)],
    [
      'the checks of types, boundaries, folders, links, texts and pages',
      inCopy('node', ['tools/run.cjs', 'check/check', 'types', 'boundaries', 'folders', 'links', 'text', 'docs']),
    ],
    ['format', inCopy('prettier', ['--check', '--ignore-unknown', ...written])],
    ['lint', inCopy('eslint', ['--max-warnings', '0', ...sources])],
    ['specs, those of every event and channel among them', inCopy('node', ['tools/run.cjs', 'prove/test', ...specs])],
  ];
}

async function pass(name: string, gate: () => Promise<unknown>): Promise<void> {
  await gate();
  console.log(`ok  ${name}`);
}

function git(cwd: string, args: string[]) {
  return run('git', args, { cwd });
}

try {
  await main();
} catch (error) {
  if (!(error instanceof CommandError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
