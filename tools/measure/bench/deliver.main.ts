/** `npm run bench:deliver`; see docs/explanation/performance.md. */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runToEnd } from './run-to-end.ts';
import { writeBenchCertificate } from './bench-certificate.ts';
import { BenchDatabase } from './bench-database.ts';
import { CalledProcess } from './child-calls.ts';
import { bundle, type Circumstances, type Contender, peerContender, platformContender } from './contender.ts';
import { type CpuProfile, topFrames } from './cpu-profile.ts';
import { DeliverBench } from './deliver-bench.ts';
import { DeliverWaterfall, waterfallScales } from './deliver-waterfall.ts';
import type { DeliverScale } from './delivery-figures.ts';
import { inspectFlag } from './inspected-process.ts';
import { makeMerchants, makeSecrets } from './merchants.ts';
import { Neighbours } from './neighbours.ts';
import { PlatformUnderTest } from './platform-under-test.ts';
import { print, printTable } from './report.ts';
import type { ReceiverPorts } from './receiver.main.ts';
import { statementReports } from './statement-use.ts';
import { reportWaterfall } from './waterfall-report.ts';

const scales: Record<'quick' | 'full', DeliverScale> = {
  quick: { rounds: 2, warmUp: 3_000, burst: 8_000, steadySeconds: 8 },
  full: { rounds: 3, warmUp: 40_000, burst: 20_000, steadySeconds: 15 },
};
const endpoints = 20;
const flag = { type: 'boolean', default: false } as const;
const profileFolder = join(process.cwd(), 'dist/bench/profile');

/** The platform with either transport. */
async function openPlatform(
  around: Circumstances & { neighboursUrl: string },
  brokers?: string,
): Promise<[PlatformUnderTest, Contender]> {
  const name = brokers ? 'kafka' : 'postgres';
  const platform = await PlatformUnderTest.start({ ...around, name, brokers });
  const title = `Paycode, events through ${brokers ? 'Kafka' : 'PostgreSQL'}`;
  return [platform, await platformContender(title, platform, { ...around, brokers })];
}

/** Bursts of the platform alone, then the functions in which its dispatcher spent the time. */
async function profileOf(bench: DeliverBench, platform: PlatformUnderTest, paycode: Contender): Promise<void> {
  rmSync(profileFolder, { recursive: true, force: true });
  await bench.runAlone(paycode);
  await platform.dispatcher.stop();
  const file = join(profileFolder, readdirSync(profileFolder)[0]!);
  const frames = topFrames(JSON.parse(readFileSync(file, 'utf8')) as CpuProfile, 10);
  printTable(
    ['own time of the dispatcher', '%'],
    frames.map(({ name, share }) => [name, (share * 100).toFixed(1)]),
  );
  print(file);
}

async function printWaterfall(waterfall: DeliverWaterfall, scale: 'quick' | 'full'): Promise<void> {
  const isComplete = reportWaterfall(await waterfall.measure(waterfallScales[scale]), waterfallScales[scale]);
  process.exitCode = isComplete ? 0 : 1;
}

/** The peers in both variants, and the platform on Kafka where there are brokers. */
async function furtherContenders(around: Circumstances & { neighboursUrl: string }): Promise<Contender[]> {
  const found: Contender[] = [];
  for (const isDurable of [true, false])
    for (const queue of ['graphile-worker', 'pg-boss'] as const) found.push(await peerContender(queue, isDurable, around));
  const brokers = process.env['KAFKA_BROKERS'];
  if (brokers) found.push((await openPlatform(around, brokers))[1]);
  return found;
}

/** Inspected, a process is slower: a run of its own, whose other figures are not for the record. */
function flagsOf({ profile, waterfall }: { profile: boolean; waterfall: boolean }) {
  const inspected = waterfall ? [inspectFlag] : [];
  const profiled = profile ? ['--cpu-prof', '--cpu-prof-interval=500', `--cpu-prof-dir=${profileFolder}`] : [];
  return { dispatcherFlags: [...inspected, ...profiled], schedulerFlags: inspected };
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { quick: flag, profile: flag, waterfall: flag } });
  const scale = values.quick ? 'quick' : 'full';
  const database = await BenchDatabase.start(values.waterfall ? statementReports : []);
  const neighbours = await Neighbours.start();
  const closing: { stop(): Promise<void> }[] = [];
  try {
    const [secrets, certificate] = [makeSecrets(database.home), await writeBenchCertificate(database.home)];
    const receiver = new CalledProcess(bundle('receiver'));
    closing.push(receiver);
    const { healthy } = await receiver.call<ReceiverPorts>('open', { ...certificate, healthy: endpoints, hanging: 0 });
    const merchants = makeMerchants(1_001, healthy, secrets);
    neighbours.know(merchants.map(({ route }) => route));
    const around = { database, secrets, certificate, merchants, neighboursUrl: neighbours.url, ...flagsOf(values) };
    const [platform, paycode] = await openPlatform(around);
    const contenders = [paycode];
    closing.push(paycode);
    if (values.waterfall) return await printWaterfall(new DeliverWaterfall(platform, paycode, { receiver, database }), scale);
    const bench = new DeliverBench(receiver, { ...around, scale: scales[scale] });
    contenders.push(...(await furtherContenders(around)));
    closing.push(...contenders.slice(1));
    if (values.profile) return await profileOf(bench, platform, paycode);
    const isExact = await bench.run({ platform, paycode, contenders });
    process.exitCode = isExact ? 0 : 1;
  } finally {
    await Promise.allSettled(closing.map(each => each.stop()));
    await neighbours.stop();
    await database.stop();
  }
}

runToEnd(main);
