import { company, type HealthyRun, type HealthyRuns } from './hanging-merchant.ts';
import type { HangingReceiversRun } from './hanging-receivers.ts';
import { atLeast, atMost, type Goal, machineFacts, print, printGoals, printTable, show, writeJson } from './report.ts';
import { ratioOf, spreadOf } from './statistics.ts';
import type { StoredRuns } from './stored-deliveries.ts';

export interface IsolationFigures {
  runs: HealthyRuns;
  receivers: HangingReceiversRun;
  stored: StoredRuns;
}

const goalsOf = { p99Ratio: 1.1, p99OverLoadRatio: 1.15, deviations: 0, kibEach: 90, storedRatio: 0.95 };

/** Prints tables, goals and audit, and writes the JSON file. True when the audits found nothing. */
export function reportIsolation(figures: IsolationFigures, context: { scale: unknown; postgres: string }): boolean {
  const { runs, receivers, stored } = figures;
  const healthyRow = (name: string, measured: HealthyRun[]) => [
    name,
    show(spreadOf(measured.map(({ p50Ms }) => p50Ms)), 1),
    show(spreadOf(measured.map(({ p99Ms }) => p99Ms)), 1),
    String(Math.max(...measured.map(({ hanging }) => hanging))),
  ];
  printTable(
    ['healthy merchants, event to POST', 'p50 ms', 'p99 ms', 'hanging at the end'],
    company.map(beside => healthyRow(`beside ${beside}`, runs[beside])),
  );
  print(`${receivers.requests} requests hanging at once: ${receivers.kibEach.toFixed(1)} KiB of memory each; `);
  print(`healthy merchants meanwhile: p99 ${receivers.healthyP99Ms.toFixed(1)} ms\n`);
  printTable(
    ['throughput', 'webhooks/s'],
    [
      ['empty table', show(spreadOf(stored.empty.map(({ perSecond }) => perSecond)), 0)],
      [`${stored.stored} undelivered rows`, show(spreadOf(stored.full.map(({ perSecond }) => perSecond)), 0)],
    ],
  );
  const deviations = [...Object.values(runs).flat(), receivers, ...stored.empty, ...stored.full].flatMap(run => run.deviations);
  const goals = goalsReached(figures, deviations.length);
  printGoals(goals);
  for (const deviation of deviations) print(`AUDIT ${deviation}`);
  if (deviations.length === 0) print('audit: every healthy payment has exactly one POST, ACKED_HTTP and SETTLED');
  print(writeJson('isolation', { machine: machineFacts(), ...context, ...figures, goals }));
  return deviations.length === 0;
}

function goalsReached({ runs, receivers, stored }: IsolationFigures, deviations: number): Goal[] {
  const p99s = (measured: HealthyRun[]) => measured.map(({ p99Ms }) => p99Ms);
  const [alone, answering, hanging] = company.map(beside => p99s(runs[beside]));
  const slower = ratioOf(hanging!, alone!);
  const slowerThanLoad = ratioOf(hanging!, answering!);
  const rates = (measured: { perSecond: number }[]) => measured.map(({ perSecond }) => perSecond);
  const kept = ratioOf(rates(stored.full), rates(stored.empty));
  return [
    atMost('healthy p99, one hanging / none', goalsOf.p99Ratio, { value: slower.median, shown: show(slower) }),
    atMost('healthy p99, one hanging / one that answers', goalsOf.p99OverLoadRatio, {
      value: slowerThanLoad.median,
      shown: show(slowerThanLoad),
    }),
    atMost('healthy payments lost, doubled or reversed', goalsOf.deviations, { value: deviations, shown: String(deviations) }),
    atMost('memory per hanging TLS request, KiB', goalsOf.kibEach, {
      value: receivers.kibEach,
      shown: receivers.kibEach.toFixed(1),
    }),
    atLeast('throughput, stored rows / empty table', goalsOf.storedRatio, { value: kept.median, shown: show(kept) }),
  ];
}
