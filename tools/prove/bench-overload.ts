/**
 * `npm run bench -- overload`: customers offer a standalone platform 0.5 to 10 times the payments that it can take, wait for 5 seconds and repeat
 * what fails. The platform has one core, customers and merchants another. How many payments are accepted and notified in time; then a minute at
 * 10 times, and how long until all is as before. The audit: every accepted payment is settled. Linux only.
 *   --quick         shorter runs, for a first look
 *   --one-process   all services in one process
 */
import { execFileSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { PlatformConnection } from '../../libs/platform-client/src/platform-connection.ts';
import { openShops } from './game-day/shops.ts';
import { CountingReceiver } from './testing/counting-receiver.ts';
import { Customers } from './testing/customers.ts';
import { OwnPlatform } from './testing/own-platform.ts';
import { descendantsOf, usedSecondsOf } from './testing/processes.ts';

const isQuick = process.argv.includes('--quick');
const script = ['tools/run.cjs', 'run/start', ...process.argv.filter(word => word === '--one-process')];
const settings = { ADDRESS_RATE_PER_S: '0', CREDENTIAL_RATE_PER_S: '0', ADDRESS_CONNECTIONS_MAX: '10000' };
const factors = [0.5, 1, 2, 5, 10];
const shopCount = 8;
const callers = 32;
const warmUpS = isQuick ? 10 : 30;
const stretchS = isQuick ? 12 : 30;
/** Of a stretch, before its figures count: queues fill. */
const fillingS = 4;
const longS = isQuick ? 20 : 60;
const afterS = 30;
const goals = { goodputShare: 0.9, recoveryS: 10 };
/** A payment counts whose notification is there so soon after it is due. */
const goodMs = 15_000;
const normalMs = 1_000;
const decidedWithinMs = 180_000;

/** Children of this process begin on the core. */
const useCore = (core: number) => execFileSync('taskset', ['-acp', String(core), String(process.pid)], { stdio: 'ignore' });
const usedS = () => descendantsOf(process.pid).reduce((sum, { pid }) => sum + (usedSecondsOf(pid) || 0), 0);

interface Figures {
  factor: number;
  goodput: number;
  perCpuS: number;
  p50Ms: number;
}

class Overload {
  private readonly customers: Customers;
  private readonly receiver: CountingReceiver;
  private readonly connection: PlatformConnection;

  constructor(customers: Customers, receiver: CountingReceiver, connection: PlatformConnection) {
    this.customers = customers;
    this.receiver = receiver;
    this.connection = connection;
  }

  /** Offers a load, waits until its customers have ended, and says what became of it. */
  async stretch(factor: number, capacity: number, seconds: number): Promise<Figures> {
    this.customers.tries.clear();
    const [fromMs, offered] = [performance.now() + fillingS * 1_000, this.customers.offered];
    const loading = this.customers.openLoop(factor * capacity, seconds);
    await pause(fillingS * 1_000);
    const usedBefore = usedS();
    await loading;
    const [untilMs, used] = [performance.now(), usedS() - usedBefore];
    const postedAt = new Map(this.receiver.asked.map(({ transactionId, atMs }) => [transactionId, atMs]));
    const good = this.customers.paid.flatMap(({ transactionId, dueMs, paidMs }) => {
      const doneMs = Math.max(paidMs, postedAt.get(transactionId) ?? Infinity);
      return doneMs >= fromMs && doneMs < untilMs && doneMs - dueMs < goodMs ? [doneMs - dueMs] : [];
    });
    const goodput = (good.length * 1_000) / (untilMs - fromMs);
    const figures = { factor, goodput, perCpuS: good.length / used, p50Ms: middleOf(good) };
    const tries = [...this.customers.tries].map(([status, count]) => `${status}: ${count}`).join(', ');
    const cells = [
      factor,
      (factor * capacity).toFixed(0),
      goodput.toFixed(0),
      figures.perCpuS.toFixed(0),
      figures.p50Ms.toFixed(0),
    ];
    const cpu = ((used * 1_000) / (untilMs - fromMs)).toFixed(2);
    console.log(
      `${cells.map(cell => String(cell).padStart(9)).join('')}${cpu.padStart(9)}  ${tries}; offered ${this.customers.offered - offered}`,
    );
    return figures;
  }

  /** Seconds after an overload until payments are as fast as before it, at half of the capacity. */
  async recovery(capacity: number): Promise<number> {
    const fromMs = performance.now();
    await this.customers.openLoop(capacity / 2, afterS);
    await this.customers.ended();
    const normal = new Map<number, number>();
    for (const { dueMs, paidMs } of this.customers.paid)
      if (dueMs >= fromMs && paidMs - dueMs < normalMs) {
        const second = Math.floor((dueMs - fromMs) / 1_000);
        normal.set(second, (normal.get(second) ?? 0) + 1);
      }
    const late = Array.from({ length: afterS }, (_, second) => second).filter(
      second => (normal.get(second) ?? 0) < capacity * 0.45,
    );
    console.log(
      `payments within ${normalMs} ms, by second: ${Array.from({ length: afterS }, (_, second) => normal.get(second) ?? 0).join(' ')}`,
    );
    return late.length === 0 ? 0 : late.at(-1)! + 1;
  }

  /** Every accepted payment is posted and settled, and no payment is reversed: all merchants answer at once. */
  async audit(): Promise<string[]> {
    const giveUpAt = performance.now() + decidedWithinMs;
    let decisions = await this.decisions();
    const ids = new Set(this.customers.paid.map(({ transactionId }) => transactionId));
    const posted = () => new Set(this.receiver.asked.map(({ transactionId }) => transactionId));
    while (decisions.SETTLED + decisions.REVERSED < posted().size && performance.now() < giveUpAt) {
      await pause(500);
      decisions = await this.decisions();
    }
    const missing = [...ids].filter(id => !posted().has(id)).length;
    console.log(`${ids.size} accepted, ${posted().size} posted, ${decisions.SETTLED} settled, ${decisions.REVERSED} reversed`);
    const deviations = [];
    if (decisions.REVERSED > 0) deviations.push(`${decisions.REVERSED} healthy payments are reversed`);
    if (missing > 0) deviations.push(`${missing} accepted payments are not posted`);
    if (decisions.SETTLED < posted().size)
      deviations.push(`${posted().size - decisions.SETTLED} posted payments are not settled`);
    return deviations;
  }

  private async decisions(): Promise<{ SETTLED: number; REVERSED: number }> {
    const text = await fetch(`${this.connection.standalone.internal['reversal-scheduler']}/metrics`).then(answer =>
      answer.text(),
    );
    const of = (decision: string) =>
      [...text.matchAll(new RegExp(`^paycode_reversal_scheduler_decisions_total\\{.*decision="${decision}".*\\} (\\d+)$`, 'gm'))]
        .map(([, count]) => Number(count))
        .reduce((sum, count) => sum + count, 0);
    return { SETTLED: of('SETTLED'), REVERSED: of('REVERSED') };
  }
}

const middleOf = (values: readonly number[]) => values.toSorted((left, right) => left - right)[values.length >> 1] ?? NaN;

async function measure(platform: OwnPlatform): Promise<boolean> {
  const connection = new PlatformConnection(platform.home);
  const receiver = await CountingReceiver.start();
  const shops = await openShops(connection, shopCount);
  for (const { merchant } of shops) await merchant.addHttp(receiver.url);
  const customers = new Customers(
    connection,
    shops.map(({ merchant }) => merchant.credentials),
  );
  const overload = new Overload(customers, receiver, connection);
  await customers.closedLoop(callers, warmUpS);
  const capacity = await customers.closedLoop(callers, stretchS);
  await customers.connect();
  console.log(`capacity ${capacity.toFixed(0)} payments/s with ${callers} callers`);
  console.log('   factor  offered  good/s  /CPU s   p50 ms    cores  tries by status (0: no answer, -1: no connection)');
  const curve = [];
  for (const factor of factors) {
    curve.push(await overload.stretch(factor, capacity, stretchS));
    await customers.ended();
  }
  await overload.stretch(factors.at(-1)!, capacity, longS);
  const recoveryS = await overload.recovery(capacity);
  const peak = Math.max(...curve.map(({ goodput }) => goodput));
  const share = curve.at(-1)!.goodput / peak;
  console.log(`goodput at ${factors.at(-1)} times / peak: ${share.toFixed(2)} (goal ${goals.goodputShare})`);
  console.log(`normal ${recoveryS} s after ${longS} s of it (goal ${goals.recoveryS})`);
  const deviations = await overload.audit();
  for (const deviation of deviations) console.log(`AUDIT ${deviation}`);
  await Promise.all([customers.stop(), receiver.stop(), ...shops.map(shop => shop.receiver.stop())]);
  return deviations.length === 0;
}

useCore(0);
const platform = await OwnPlatform.start(script, settings);
useCore(1);
try {
  process.exitCode = (await measure(platform)) ? 0 : 1;
} finally {
  await platform.stop();
}
