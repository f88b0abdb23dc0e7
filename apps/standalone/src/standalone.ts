import { dirname } from 'node:path';
import { stopAbandonedPostgres } from '@paycode/persistence/embedded';
import { EnvError } from '@paycode/service-runtime/env';
import { readCommandLine, UsageError } from './config/command-line';
import { readEnvironment, standaloneEnv, type StandaloneEnv } from './config/env';
import { DatabaseServerError } from './database';
import { DemoDataError } from './demo-data';
import { KafkaUnusableError } from './events';
import { displayPath, HomeInUseError, type HomeFolder, lockHome, openHomeFolder } from './home';
import { Platform, type PlatformFacts, PortInUseError } from './platform';
import { ServiceFailure } from './processes';
import { helpText, homeInUseText, portInUseText, readyText } from './terminal';

/** A terminal's Ctrl-C can arrive twice (from the terminal and from npm): only a later one is a second order. */
const sameOrderMs = 1_000;
const expectedErrors = [UsageError, EnvError, DatabaseServerError, KafkaUnusableError, ServiceFailure, DemoDataError];

/** Runs the platform until it is told to stop. Gives the exit code. */
export async function runStandalone(args: readonly string[]): Promise<number> {
  try {
    const { isFresh, isHelp } = readCommandLine(args);
    if (isHelp) return show(helpText(standaloneEnv.schema));
    const { env, inherited } = readEnvironment();
    const home = openHomeFolder(env.PAYCODE_HOME);
    const lock = await lockHome(home.path);
    await stopAbandonedPostgres(home.postgres);
    const platform = new Platform({ home, env, inherited, isFresh, appsFolder: dirname(__dirname), say });
    return await runUntilStopped(platform, { home, env }).finally(() => lock.release());
  } catch (error) {
    process.stderr.write(`\n${describe(error)}\n`);
    return 1;
  }
}

async function runUntilStopped(platform: Platform, context: { home: HomeFolder; env: StandaloneEnv }): Promise<number> {
  const startedAt = performance.now();
  const orders = listenForOrders();
  say('starting (the first start makes databases, keys and certificates)');
  try {
    const start = platform.start();
    // A start that was overtaken by an order to stop may fail because of it.
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
    say('stopped');
  }
}

interface Order {
  signal: string;
}

function isOrder(value: object): value is Order {
  return 'signal' in value;
}

/** `stop` resolves at the first signal, `hurry` at a later one. */
function listenForOrders(): { stop: Promise<Order>; hurry: Promise<void> } {
  const stop = Promise.withResolvers<Order>();
  const hurry = Promise.withResolvers<void>();
  let firstAt: number | undefined;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      firstAt ??= performance.now();
      if (performance.now() - firstAt > sameOrderMs) hurry.resolve();
      stop.resolve({ signal });
    });
  }
  return { stop: stop.promise, hurry: hurry.promise };
}

function readyTextOf(facts: PlatformFacts, context: { home: HomeFolder; env: StandaloneEnv; afterMs: number }): string {
  return readyText({
    baseUrl: `https://localhost:${facts.ports.gateway}`,
    caFile: displayPath(facts.caFile),
    home: displayPath(context.home.path),
    database: facts.database,
    events: context.env.EVENTS_TRANSPORT === 'kafka' ? 'Kafka' : 'PostgreSQL',
    ...facts.accounts.find(account => account.type === 'MERCHANT')!,
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
