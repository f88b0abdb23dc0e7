import { stopAbandonedPostgres } from '@paycode/persistence/embedded';
import { EnvError } from '@paycode/service-runtime/env';
import { dirname } from 'node:path';
import { readCommandLine, UsageError } from './config/command-line';
import { leaveVariables, readEnvironment, standaloneEnv, type StandaloneEnv } from './config/env';
import { DatabaseServerError } from './database/ensure-databases';
import { DemoDataError } from './demo-data/demo-data';
import { KafkaUnusableError } from './events/prepare-kafka';
import { DamagedFileError, displayPath, type HomeFolder, openHomeFolder } from './home/home-folder';
import { HomeInUseError, lockHome } from './home/home-lock';
import { Platform, type PlatformFacts } from './platform/platform';
import { PortInUseError, serviceNames } from './platform/ports';
import { processVariables } from './platform/services';
import { compactAfterStart } from './processes/compact-after-start';
import { ServiceFailure } from './processes/service-process';
import { helpText, homeInUseText, portInUseText, readyText } from './texts';

/** One Ctrl-C can arrive twice (from the terminal and from npm), so only a later one counts as a second order. */
const sameOrderMs = 1_000;
const parentCheckMs = 1_000;
const expectedErrors = [
  DamagedFileError,
  UsageError,
  EnvError,
  DatabaseServerError,
  KafkaUnusableError,
  ServiceFailure,
  DemoDataError,
];

/** Runs the platform until it is told to stop. Gives the exit code. */
export async function runStandalone(args: readonly string[]): Promise<number> {
  try {
    const { isHelp, ...wanted } = readCommandLine(args, serviceNames);
    if (isHelp) return show(helpText(standaloneEnv.schema));
    const { env, inherited } = readEnvironment();
    leaveVariables(processVariables);
    // From the first moment: an order to stop is a clean end, however early it comes.
    const orders = listenForOrders(inherited['npm_lifecycle_event'] === 'start');
    const home = openHomeFolder(env.PAYCODE_HOME);
    const lock = await lockHome(home.path);
    await stopAbandonedPostgres(home.postgres);
    const platform = new Platform({ home, env, inherited, ...wanted, appsFolder: dirname(__dirname), say });
    return await runUntilStopped(platform, { home, env, orders, isOneProcess: wanted.isOneProcess }).finally(() =>
      lock.release(),
    );
  } catch (error) {
    process.stderr.write(`\n${describe(error)}\n`);
    return 1;
  }
}

interface Context {
  home: HomeFolder;
  env: StandaloneEnv;
  orders: Orders;
  isOneProcess: boolean;
}

async function runUntilStopped(platform: Platform, context: Context): Promise<number> {
  const startedAt = performance.now();
  compactAfterStart();
  const { orders } = context;
  if (context.isOneProcess) process.once('exit', sayEndOfAll);
  say('starting (the first start makes databases, keys and certificates)');
  try {
    const start = platform.start();
    // A start may fail because of the order to stop.
    start.catch(() => undefined);
    const facts = await Promise.race([start, orders.stop]);
    if (!isOrder(facts)) show(readyTextOf(facts, { ...context, afterMs: performance.now() - startedAt }));
    const end = isOrder(facts) ? facts : await Promise.race([orders.stop, platform.failed]);
    if (isOrder(end)) say(`${end.signal}: finishing what is in progress, then stopping (once more stops at once)`);
    else process.stderr.write(`\n${end.message}\nStopping.\n`);
    return isOrder(end) ? 0 : 1;
  } finally {
    void orders.hurry.then(() => platform.kill());
    await platform.stop();
    process.off('exit', sayEndOfAll);
    say('stopped');
  }
}

/** A service that ends its process in an emergency, or fails in a way that nothing catches, ends all of them. */
function sayEndOfAll(): void {
  process.stderr.write('\nA service ended the one process of all services; its log says why.\n');
}

interface Order {
  signal: string;
}

function isOrder(value: object): value is Order {
  return 'signal' in value;
}

/** `stop` resolves at the first order, `hurry` at a later one. */
interface Orders {
  stop: Promise<Order>;
  hurry: Promise<void>;
}

/** `isUnderNpm`: npm started this process and is its parent. */
function listenForOrders(isUnderNpm: boolean): Orders {
  const stop = Promise.withResolvers<Order>();
  const hurry = Promise.withResolvers<void>();
  let firstAt: number | undefined;
  const order = (signal: string): void => {
    firstAt ??= performance.now();
    if (performance.now() - firstAt > sameOrderMs) hurry.resolve();
    stop.resolve({ signal });
  };
  // Without a terminal (nohup, a service manager) SIGHUP keeps its default handling.
  const signals = process.stdout.isTTY ? (['SIGINT', 'SIGTERM', 'SIGHUP'] as const) : (['SIGINT', 'SIGTERM'] as const);
  for (const signal of signals) process.on(signal, order);
  process.once('disconnect', () => stop.resolve({ signal: 'the parent process ended' }));
  if (isUnderNpm) onceParentIsGone(() => stop.resolve({ signal: 'npm ended' }));
  return { stop: stop.promise, hurry: hurry.promise };
}

/** A killed npm cannot forward the order. Its child then gets another parent, which this detects. */
function onceParentIsGone(act: () => void): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    act();
  }, parentCheckMs);
  timer.unref();
}

function readyTextOf(facts: PlatformFacts, context: Context & { afterMs: number }): string {
  return readyText({
    baseUrl: `https://localhost:${facts.ports.gateway}`,
    caFile: displayPath(facts.caFile),
    home: displayPath(context.home.path),
    database: facts.database,
    events: context.env.EVENTS_TRANSPORT === 'kafka' ? 'Kafka' : 'PostgreSQL',
    ...facts.accounts.find(account => account.type === 'MERCHANT')!,
    person: facts.people[0]!,
    afterMs: context.afterMs,
  });
}

function describe(error: unknown): string {
  if (error instanceof HomeInUseError) return homeInUseText(error.home, error.holderPid);
  if (error instanceof PortInUseError) return portInUseText(error.port);
  if (expectedErrors.some(kind => error instanceof kind)) return (error as Error).message;
  return (error as Error).stack ?? String(error);
}

function say(line: string): void {
  process.stdout.write(`paycode: ${line}\n`);
}

function show(text: string): number {
  process.stdout.write(text);
  return 0;
}
