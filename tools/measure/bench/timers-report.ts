import { atLeast, atMost, type Goal, machineFacts, print, printGoals, printTable, show, writeJson } from './report.ts';
import { ratioOf, type Spread, spreadOf } from './statistics.ts';
import type { TimerKind } from './timer-job.ts';
import type { TimerFigures, TimersScale } from './timer-figures.ts';

const own = 'reversal-scheduler';
const goalsOf = { armRatio: 1.5, p99Ms: 10, p99Share: 0.05 };
const peers: TimerKind[] = ['graphile-worker', 'pg-boss'];

/** Prints tables, goals and audit, and writes the JSON file. True when the audits found nothing. */
export function reportTimers(figures: TimerFigures, scale: TimersScale, postgres: string): boolean {
  printTable(
    ['arm, batches of 500', 'rows/s'],
    Object.entries(figures.armed).map(([name, rates]) => [name, show(spreadOf(rates), 0)]),
  );
  printTable(
    [`${scale.perSecond} due per second`, 'pending', 'p50 ms', 'p99 ms', 'max ms'],
    Object.entries(figures.lateness).flatMap(([name, runs]) =>
      runs.map(({ pending, p50Ms, p99Ms, maxMs }) => [name, String(pending), ...[p50Ms, p99Ms, maxMs].map(ms => ms.toFixed(1))]),
    ),
  );
  const { readyMs, caughtUpMs, overdue } = figures.restart;
  print(
    `restart after a crash with ${scale.manyPending} pending: ready after ${readyMs.toFixed(0)} ms, ` +
      `${overdue} jobs that fell due meanwhile decided after ${caughtUpMs.toFixed(0)} ms (lease of the dead one included)\n`,
  );
  const goals = goalsReached(figures);
  printGoals(goals);
  for (const deviation of figures.deviations) print(`AUDIT ${deviation}`);
  if (figures.deviations.length === 0) print('audit: every job has exactly one decision, REVERSED');
  print(writeJson('timers', { machine: machineFacts(), postgres, scale, ...figures, goals }));
  return figures.deviations.length === 0;
}

function goalsReached({ armed, lateness }: TimerFigures): Goal[] {
  const ratios = peers.map(peer => ratioOf(armed[own], armed[peer]));
  const arming = ratios.reduce((worst: Spread, ratio) => (ratio.median < worst.median ? ratio : worst));
  const p99Ms = lateness[own].at(-1)!.p99Ms;
  const bestPeerMs = Math.min(...peers.map(peer => lateness[peer].at(-1)!.p99Ms));
  const share = p99Ms / bestPeerMs;
  return [
    atLeast('arm rows/s / best peer', goalsOf.armRatio, { value: arming.median, shown: show(arming) }),
    atMost('lateness p99 with many pending, ms', goalsOf.p99Ms, { value: p99Ms, shown: p99Ms.toFixed(1) }),
    atMost('lateness p99 / best peer', goalsOf.p99Share, { value: share, shown: share.toFixed(3) }),
  ];
}
