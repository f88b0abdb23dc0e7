/** `npm run bench:calls`; see docs/explanation/performance.md. */
import { parseArgs } from 'node:util';
import { writeBenchCertificate } from './bench-certificate.ts';
import { BenchDatabase } from './bench-database.ts';
import { callsScales, measureCalls, reportCalls } from './calls-report.ts';
import { CalledProcess } from './child-calls.ts';
import { bundle } from './contender.ts';
import { inspectFlag } from './inspected-process.ts';
import { makeMerchants, makeSecrets } from './merchants.ts';
import { Neighbours } from './neighbours.ts';
import { PlatformUnderTest } from './platform-under-test.ts';
import { ProcessCounters } from './process-work.ts';
import { cpuUsOfTree } from './process-usage.ts';
import type { ReceiverPorts } from './receiver.main.ts';
import { runToEnd } from './run-to-end.ts';
import type { SenderUnderTest } from './sender-under-test.ts';
import { chosenSenders } from './senders.ts';
import { WayIn } from './way-in.ts';
import { workCeilings } from './work-ceilings.ts';
import { type Counted, reportWork, WorkPerPayment } from './work-per-payment.ts';

const endpoints = 20;
const flag = { type: 'boolean', default: false } as const;
const folder = { type: 'string' } as const;

/** Allocations are counted by inspectors. */
function flagsOf(isCounted: boolean) {
  const flags = isCounted ? [inspectFlag] : [];
  return { dispatcherFlags: flags, schedulerFlags: flags, simulatorFlags: flags };
}

async function countWork(wayIn: WayIn, platform: PlatformUnderTest, database: BenchDatabase): Promise<Counted> {
  const { dispatcher, scheduler } = platform;
  const processes = await ProcessCounters.open({ simulator: wayIn.simulator, dispatcher, scheduler }, () =>
    cpuUsOfTree(database.pid),
  );
  const databases = [wayIn.database, ...Object.values(platform.databases)];
  return await new WorkPerPayment(wayIn, { database, databases }, processes).measure();
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { quick: flag, ceilings: flag, outpost: folder, svix: folder },
  });
  const starts = chosenSenders(values);
  const scale = callsScales[values.quick ? 'quick' : 'full'];
  const database = await BenchDatabase.start();
  const neighbours = await Neighbours.start();
  const closing: (() => Promise<void>)[] = [];
  try {
    const [secrets, certificate] = [makeSecrets(database.home), await writeBenchCertificate(database.home)];
    const receiver = new CalledProcess(bundle('receiver'));
    closing.push(() => receiver.stop());
    const { healthy } = await receiver.call<ReceiverPorts>('open', { ...certificate, healthy: endpoints, hanging: 0 });
    const merchants = makeMerchants(1_001, healthy, secrets);
    neighbours.know(merchants.map(({ route }) => route));
    const around = { database, secrets, certificate, merchants, neighboursUrl: neighbours.url };
    const platform = await PlatformUnderTest.start({ ...around, name: 'postgres', ...flagsOf(values.ceilings) });
    closing.push(() => platform.kill());
    const wayIn = await WayIn.start(receiver, platform, { ...around, simulatorFlags: flagsOf(values.ceilings).simulatorFlags });
    closing.push(() => wayIn.stop());
    if (values.ceilings) {
      process.exitCode = reportWork(await countWork(wayIn, platform, database), workCeilings) ? 0 : 1;
      return;
    }
    const senders: SenderUnderTest[] = [];
    for (const start of starts) {
      const sender = await start(receiver, around);
      closing.push(() => sender.stop());
      senders.push(sender);
    }
    process.exitCode = reportCalls(await measureCalls(wayIn, scale, senders), scale) ? 0 : 1;
  } finally {
    await Promise.allSettled(closing.map(stop => stop()));
    await neighbours.stop();
    await database.stop();
  }
}

runToEnd(main);
