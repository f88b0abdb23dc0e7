import type { Burst, Steady } from './delivery-rounds.ts';
import type { Stored } from './platform-under-test.ts';
import {
  atLeast,
  atMost,
  type Goal,
  machineFacts,
  median,
  print,
  printGoals,
  printTable,
  ratioOf,
  show,
  type Spread,
  spreadOf,
  writeJson,
} from './report.ts';

export interface DeliverScale {
  rounds: number;
  /** Payments before anything is counted. */
  warmUp: number;
  /** Payments of a burst. */
  burst: number;
  steadySeconds: number;
}

/** Statements and row inserts per settled payment. */
export interface PerPayment {
  statements: number;
  rowsInserted: number;
  logStatements: number;
  logRowsInserted: number;
}

export interface FloorRound {
  perSecond: number;
  cpuUs: number;
}

export interface DeliveryFigures {
  bursts: Map<string, Burst[]>;
  floor: FloorRound[];
  steadies: Map<string, Steady>;
  /** Everything at once, and at half the knee. */
  perPayment: { burst: PerPayment; steady: PerPayment };
  stored: Stored;
}

interface DeliveryContext {
  /** The contender that the goals are about. */
  paycode: string;
  /** Those that do the same durable work, and those that only post. */
  rivals: string[];
  queues: string[];
  postgres: string;
  scale: DeliverScale;
}

const floorName = 'floor: bare undici TLS loop';
const goalsOf = { throughput: 2, cpu: 2.2, statements: 0.5, rows: 5, p99Ms: 30, p99Share: 0.2, reuse: 0.99 };

interface BestPeer {
  name: string;
  throughput: Spread;
}

/** Prints tables, goals and audit, and writes the JSON file. True when the audits found nothing. */
export function reportDelivery(figures: DeliveryFigures, context: DeliveryContext): boolean {
  const best = bestOf(context.rivals, figures, context);
  const bestQueue = bestOf(context.queues, figures, context);
  printRates(figures);
  printUse(figures);
  printLatencies(figures);
  const { dispatcher, scheduler } = figures.stored;
  print(`stored per payment: ${dispatcher.toFixed(0)} bytes by the dispatcher, ${scheduler.toFixed(0)} by the scheduler\n`);
  const goals = goalsReached(figures, context, best);
  print(`best peer: ${best.name}. Ratios are taken round by round: median (min-max)`);
  print(`throughput / best queue that only posts (${bestQueue.name}): ${show(bestQueue.throughput)}`);
  printGoals(goals);
  const deviations = auditOf(figures);
  for (const deviation of deviations) print(`AUDIT ${deviation}`);
  if (deviations.length === 0) print('audit: every payment has exactly one POST, one verdict and one decision');
  const file = writeJson('deliver', {
    machine: machineFacts(),
    postgres: context.postgres,
    scale: context.scale,
    bursts: Object.fromEntries(figures.bursts),
    floor: figures.floor,
    steady: Object.fromEntries(figures.steadies),
    perPayment: figures.perPayment,
    stored: figures.stored,
    goals,
    deviations,
  });
  print(file);
  return deviations.length === 0;
}

function printRates({ bursts, floor }: DeliveryFigures): void {
  const rows = [...bursts].map(([name, rounds]) => [
    name,
    show(spreadOf(rounds.map(({ perSecond }) => perSecond)), 0),
    show(spreadOf(rounds.map(({ cpuUs }) => cpuUs)), 0),
    show(spreadOf(rounds.map(({ reuse }) => reuse * 100))),
  ]);
  const floorRates = [floor.map(({ perSecond }) => perSecond), floor.map(({ cpuUs }) => cpuUs)].map(values =>
    show(spreadOf(values), 0),
  );
  printTable(['everything at once', 'webhooks/s', 'CPU us/webhook', 'reuse %'], [...rows, [floorName, ...floorRates, '']]);
}

/** Processor time by part: medians over the rounds. */
function printUse({ bursts }: DeliveryFigures): void {
  for (const [name, rounds] of bursts) {
    const parts = Object.keys(rounds[0]!.cpuUsBy).filter(part => part !== 'own');
    const each = parts.map(part => `${part} ${median(rounds.map(({ cpuUsBy }) => cpuUsBy[part]!)).toFixed(0)}`);
    print(`CPU us/webhook, ${name}: ${each.join(', ')}`);
  }
  print();
}

function printLatencies({ steadies }: DeliveryFigures): void {
  const rows = [...steadies].map(([name, { perSecond, p50Ms, p99Ms }]) => [
    name,
    String(perSecond),
    p50Ms.toFixed(1),
    p99Ms.toFixed(1),
  ]);
  printTable(['at half of that, event to POST', 'events/s', 'p50 ms', 'p99 ms'], rows);
}

function goalsReached(figures: DeliveryFigures, { paycode }: DeliveryContext, best: BestPeer): Goal[] {
  const own = figures.bursts.get(paycode)!;
  const cpu = ratioOf(
    own.map(({ cpuUs }) => cpuUs),
    figures.floor.map(({ cpuUs }) => cpuUs),
  );
  const burstReuse = Math.min(...own.map(round => round.reuse));
  const { p99Ms, reuse } = figures.steadies.get(paycode)!;
  const p99Share = p99Ms / figures.steadies.get(best.name)!.p99Ms;
  return [
    atLeast('throughput / best peer', goalsOf.throughput, { value: best.throughput.median, shown: show(best.throughput) }),
    atMost('dispatcher CPU / floor', goalsOf.cpu, { value: cpu.median, shown: show(cpu) }),
    ...workGoals('everything at once', figures.perPayment.burst),
    ...workGoals('half the knee', figures.perPayment.steady),
    atMost('event to POST p99 at half the knee, ms', goalsOf.p99Ms, { value: p99Ms, shown: p99Ms.toFixed(1) }),
    atMost('event to POST p99 / best peer', goalsOf.p99Share, { value: p99Share, shown: p99Share.toFixed(2) }),
    atLeast('connection reuse, everything at once', goalsOf.reuse, { value: burstReuse, shown: burstReuse.toFixed(4) }),
    atLeast('connection reuse, half the knee', goalsOf.reuse, { value: reuse, shown: reuse.toFixed(4) }),
  ];
}

/** Of both services. */
function workGoals(load: string, { statements, rowsInserted, logStatements, logRowsInserted }: PerPayment): Goal[] {
  return [
    atMost(`SQL statements per payment, ${load}`, goalsOf.statements, {
      value: statements,
      shown: `${statements.toFixed(3)} (event log: ${logStatements.toFixed(3)})`,
    }),
    atMost(`row inserts per payment, ${load}`, goalsOf.rows, {
      value: rowsInserted,
      shown: `${rowsInserted.toFixed(2)} (event log: ${logRowsInserted.toFixed(2)})`,
    }),
  ];
}

function bestOf(peers: string[], { bursts }: DeliveryFigures, { paycode }: DeliveryContext): BestPeer {
  const own = bursts.get(paycode)!.map(({ perSecond }) => perSecond);
  const ratios = peers.map(name => ({
    name,
    throughput: ratioOf(
      own,
      bursts.get(name)!.map(({ perSecond }) => perSecond),
    ),
  }));
  return ratios.reduce((best, peer) => (peer.throughput.median < best.throughput.median ? peer : best));
}

function auditOf({ bursts, steadies }: DeliveryFigures): string[] {
  const all = [...bursts, ...[...steadies].map(([name, steady]) => [name, [steady]] as const)];
  return all.flatMap(([name, rounds]) =>
    rounds.flatMap(({ deviations }) => deviations.map(deviation => `${name}: ${deviation}`)),
  );
}
