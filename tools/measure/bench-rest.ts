/**
 * `npm run bench:rest`: what a standalone platform takes while nobody sends anything, and its memory at the peak of a burst, with a process
 * per service and in one process. Linux only.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { PlatformConnection } from '../../libs/platform-client/src/platform-connection.ts';
import { accepted } from '../../libs/platform-client/src/merchant.ts';
import { openShops, type Shop } from '../prove/game-day/shops.ts';
import { OwnPlatform } from '../prove/testing/own-platform.ts';
import { descendantsOf, memoryOf, usedSecondsOf } from '../prove/testing/processes.ts';

const modes = [
  { name: 'a process per service', script: ['tools/run.cjs', 'run/start'] },
  { name: 'one process', script: ['tools/run.cjs', 'run/start', '--one-process'] },
];
/** Work after a first start, such as the vacuum of its new tables, ends within this time. */
const settleMs = 60_000;
const restMs = 40_000;
const burst = { payments: 10_000, perCall: 100, callers: 8, shops: 5, withinMs: 600_000 };
const sampleMs = 500;

const mebibytes = (bytes: number) => String(Math.round(bytes / 2 ** 20));
const sum = (numbers: Iterable<number>) => [...numbers].reduce((total, each) => total + each, 0);

/** Percent of a core, by name of the process. */
async function restOf(pid: number): Promise<Map<string, number>> {
  const before = new Map(descendantsOf(pid).map(each => [each.pid, usedSecondsOf(each.pid)]));
  const beganAt = performance.now();
  await pause(restMs);
  const elapsedS = (performance.now() - beganAt) / 1_000;
  const percents = new Map<string, number>();
  for (const { pid: each, name } of descendantsOf(pid)) {
    const used = usedSecondsOf(each) - (before.get(each) ?? 0);
    percents.set(name, (percents.get(name) ?? 0) + (used / elapsedS) * 100);
  }
  return percents;
}

/** Payments of all shops in turn, by several calls at a time. */
async function pay(platform: PlatformConnection, shops: readonly Shop[]): Promise<void> {
  let next = 0;
  const caller = async () => {
    while (next < burst.payments) {
      const from = next;
      next += burst.perCall;
      const body = Array.from({ length: burst.perCall }, (_, at) => ({
        merchantId: shops[(from + at) % shops.length]!.merchant.merchantId,
        amount: '25.50',
        currencyCode: 'ZAR',
        reference: `burst-${from + at}`,
      }));
      accepted(
        'the payments',
        await platform.operator('payment-simulator', { method: 'POST', path: '/internal/transactions', body }),
      );
    }
  };
  await Promise.all(Array.from({ length: burst.callers }, caller));
}

/** Memory of the moment at which all processes together have most, by name; rejects unless each payment is posted. */
async function peakOf(platform: OwnPlatform): Promise<{ peak: Map<string, number>; again: number }> {
  const connection = new PlatformConnection(platform.home);
  const shops = await openShops(connection, burst.shops);
  let peak = new Map<string, number>();
  const paying = pay(connection, shops);
  const giveUpAt = performance.now() + burst.withinMs;
  const received = () => shops.flatMap(shop => shop.receiver.received);
  const posted = () => new Set(received().map(({ notification }) => notification.transactionId)).size;
  while (posted() < burst.payments) {
    if (performance.now() > giveUpAt) throw new Error(`${posted()} of ${burst.payments} payments were posted in time`);
    const memory = memoryOf(process.pid);
    if (sum(memory.values()) > sum(peak.values())) peak = memory;
    await Promise.race([paying.then(() => pause(sampleMs)), pause(sampleMs)]);
  }
  await paying;
  await Promise.all(shops.map(shop => shop.receiver.stop()));
  return { peak, again: received().length - burst.payments };
}

async function measure({ name, script }: (typeof modes)[number]): Promise<void> {
  const platform = await OwnPlatform.start(script, {}, true);
  try {
    await pause(settleMs);
    const memory = memoryOf(process.pid);
    const percents = await restOf(process.pid);
    const { peak, again } = await peakOf(platform);
    console.log(`${name.padEnd(24)} at rest: % of a core    MiB  at the peak: MiB`);
    for (const each of new Set([...memory.keys(), ...peak.keys()])) {
      const cells = [(percents.get(each) ?? 0).toFixed(2).padStart(22), mebibytes(memory.get(each) ?? 0).padStart(6)];
      console.log(`${each.padEnd(24)} ${cells.join(' ')} ${mebibytes(peak.get(each) ?? 0).padStart(17)}`);
    }
    const cells = [sum(percents.values()).toFixed(2).padStart(22), mebibytes(sum(memory.values())).padStart(6)];
    console.log(`${'all'.padEnd(24)} ${cells.join(' ')} ${mebibytes(sum(peak.values())).padStart(17)}`);
    console.log(`${burst.payments} payments, ${burst.perCall} per call; POSTs beyond one for each: ${again}\n`);
  } finally {
    await platform.stop();
  }
}

for (const mode of modes) await measure(mode);
