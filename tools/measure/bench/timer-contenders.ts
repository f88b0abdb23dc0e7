/** The scheduler and its peers on databases of their own, for the timers benchmark. */
import { freePort } from '@paycode/persistence/embedded';
import type { BenchDatabase } from './bench-database.ts';
import { CalledProcess } from './child-processes.ts';
import { bundle } from './contender.ts';
import type { BenchSecrets } from './merchants.ts';
import type { Neighbours } from './neighbours.ts';
import { type ServiceUnderTest, startService } from './services.ts';
import type { TimerKind } from './timer-figures.ts';

export interface TimersFixture {
  database: BenchDatabase;
  neighbours: Neighbours;
  load: CalledProcess;
  secrets: BenchSecrets;
}

/** Jobs that are due later than anything measured. */
const farAway = "interval '2 hours' + i * interval '1 millisecond'";

/** A scheduler on the database `name`, whose timers wait for `delayMs`. */
export async function startScheduler(fixture: TimersFixture, name: string, delayMs: number): Promise<ServiceUnderTest> {
  const { database, neighbours, secrets } = fixture;
  return startService({
    name: 'reversal-scheduler',
    folder: database.folder(name),
    port: await freePort(),
    env: {
      DATABASE_URL: database.urlOf(name),
      EVENTS_DATABASE_URL: database.urlOf('timer_events'),
      ...secrets.tokenKeys.env('reversal-scheduler'),
      WEBHOOK_DISPATCHER_URL: neighbours.url,
      TIMER_DELAY_MS: String(delayMs),
    },
  });
}

export async function openLoad(
  fixture: TimersFixture,
  name: string,
  target: { kind: TimerKind; url: string; delayMs: number },
): Promise<void> {
  const { services, servicePublicKeys } = fixture.secrets.tokenKeys.files;
  const signerFiles = { privateKeyFile: services['webhook-dispatcher'], servicePublicKeysFile: servicePublicKeys };
  await fixture.load.call('open', { name, ...target, signerFiles });
}

export async function startPeer(fixture: TimersFixture, kind: TimerKind, name: string): Promise<CalledProcess> {
  const worker = new CalledProcess(bundle('timer-peer'));
  await worker.call('start', { kind, url: fixture.database.urlOf(name) });
  return worker;
}

const fillers: Record<TimerKind, string> = {
  'reversal-scheduler': `
    insert into job (transaction_id, shard, merchant_id, attempt, due_at)
    select i, i % 256, 1001, 1, clock_timestamp() + ${farAway} from generate_series(1, $1::int) i`,
  'graphile-worker': `
    select count(*) from graphile_worker.add_jobs((
      select array_agg(row('timer', json_build_object('transactionId', i), null, now() + ${farAway}, null, null, null, null)::graphile_worker.job_spec)
        from generate_series(1, $1::int) i))`,
  'pg-boss': `
    insert into pgboss.job (name, data, start_after)
    select 'timer', jsonb_build_object('transactionId', i), now() + ${farAway} from generate_series(1, $1::int) i`,
};

/** Puts jobs into the tables that wait during the whole measurement. */
export async function fill(
  { database }: TimersFixture,
  { kind, name, count }: { kind: TimerKind; name: string; count: number },
): Promise<void> {
  const page = 100_000;
  // Ids of the scheduler's jobs are keys; the peers number theirs by themselves.
  if (kind === 'reversal-scheduler') await database.query(name, fillers[kind], [count]);
  else
    for (let filled = 0; filled < count; filled += page)
      await database.query(name, fillers[kind], [Math.min(page, count - filled)]);
  await database.query(name, 'vacuum analyze');
  // A million rows at once are no part of the load: what they left for the next checkpoint would fall into the minute that is measured.
  await database.query(name, 'checkpoint');
}
