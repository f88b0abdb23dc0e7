/** `npm run bench:calls`; see docs/explanation/performance.md. */
import { parseArgs } from 'node:util';
import { BenchDatabase } from './bench-database.ts';
import { CalledPlatform } from './called-platform.ts';
import { callsScales, measureCalls, reportCalls } from './calls-report.ts';
import { CalledProcess, runToEnd } from './child-processes.ts';
import { bundle, type Circumstances } from './contender.ts';
import { inspectFlag, ProcessCounters } from './inspected-process.ts';
import { makeMerchants, makeSecrets, writeBenchCertificate } from './merchants.ts';
import { Neighbours } from './neighbours.ts';
import { findOutpost, OutpostUnderTest } from './outpost-under-test.ts';
import { PlatformUnderTest } from './platform-under-test.ts';
import type { ReceiverPorts } from './receiver.main.ts';
import type { SenderUnderTest } from './sender-under-test.ts';
import { findSvix, SvixUnderTest } from './svix-under-test.ts';
import { type Counted, reportWork, workCeilings, WorkPerPayment } from './work-per-payment.ts';

const endpoints = 20;
const flag = { type: 'boolean', default: false } as const;
const folder = { type: 'string' } as const;

/** Allocations are counted by inspectors. */
function flagsOf(isCounted: boolean) {
  const flags = isCounted ? [inspectFlag] : [];
  return { dispatcherFlags: flags, schedulerFlags: flags, simulatorFlags: flags };
}

async function countWork(called: CalledPlatform, platform: PlatformUnderTest, database: BenchDatabase): Promise<Counted> {
  const { dispatcher, scheduler } = platform;
  const processes = await ProcessCounters.open({ simulator: called.simulator, dispatcher, scheduler });
  const databases = [called.database, ...Object.values(platform.databases)];
  return await new WorkPerPayment(called, { database, databases }, processes).measure();
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
    const called = await CalledPlatform.start(receiver, platform, {
      ...around,
      simulatorFlags: flagsOf(values.ceilings).simulatorFlags,
    });
    closing.push(() => called.stop());
    if (values.ceilings) {
      process.exitCode = reportWork(await countWork(called, platform, database), workCeilings) ? 0 : 1;
      return;
    }
    const senders: SenderUnderTest[] = [];
    for (const start of starts) {
      const sender = await start(receiver, around);
      closing.push(() => sender.stop());
      senders.push(sender);
    }
    process.exitCode = reportCalls(await measureCalls(called, scale, senders), scale) ? 0 : 1;
  } finally {
    await Promise.allSettled(closing.map(stop => stop()));
    await neighbours.stop();
    await database.stop();
  }
}

runToEnd(main);

/** Webhook senders of others that take part where their programs are at hand. */
type StartSender = (receiver: CalledProcess, around: Circumstances) => Promise<SenderUnderTest>;

/** Of the folders with their builds. @throws naming each program that is missing, before anything starts */
function chosenSenders({ outpost, svix }: { outpost?: string; svix?: string }): StartSender[] {
  const starts: StartSender[] = [];
  if (outpost !== undefined) {
    const found = findOutpost(outpost);
    starts.push((receiver, around) => OutpostUnderTest.start(receiver, found, around));
  }
  if (svix !== undefined) {
    const found = findSvix(svix);
    starts.push((receiver, around) => SvixUnderTest.start(receiver, found, around));
  }
  return starts;
}
