import { setTimeout as pause } from 'node:timers/promises';
import { countParked, dataFaultReason, isolate, withConnection } from '@paycode/persistence';
import { backoffMs } from '@paycode/service-runtime/timing';
import type { PoolClient, QueryResult } from 'pg';
import type { DataSource } from 'typeorm';
import { Wakeup } from '../delivery/wakeup';
import type { EventTransport, TransportLog } from '../event-transport';
import { eventsIn, linesOf, outboxSql as sql, type StoredEvent, type StoredEvents, toEvent } from './outbox-rows';

export interface OutboxRelayOptions {
  dataSource: DataSource;
  transport: Pick<EventTransport, 'publish'>;
  log: TransportLog;
  /** Rows whose events are published and which are deleted together. Default 500. */
  batchMax?: number;
  /** Interval at which it looks for events that a replica left behind when it died; `wake()` announces events of this one. Default 2,000. */
  idleMs?: number;
  /** Pause after each pass, in milliseconds, so that further events are published together. Default 5, and none after a single event. */
  gatherMs?: number;
}

export interface OutboxState {
  /** Events waiting; counted up to `depthMax`. */
  depth: number;
  /** Age of the oldest, in milliseconds; 0 when empty. */
  oldestAgeMs: number;
}

/** Lock so that one relay per database runs at a time. An arbitrary constant; each service has its own database. */
const relayLock = 7_240_928;
const batchMaxDefault = 500;
const gatherMsDefault = 5;
const idleMsDefault = 2_000;
const failureLimits = { firstMs: 100, maxMs: 5_000 };
/** Pause while another replica publishes. It is short, because that replica may have read the table before it held this replica's events. */
const busyRetryMs = 25;
const busyRetriesMax = 40;
const depthMax = 100_000;
/** A parked event is tried again after this time, because its cause may have been repaired. */
const parkedMs = 600_000;
/** With more refused events than this the relay publishes nothing until they can be published. */
const parkedMax = 1_000;

interface Published {
  /** Ids of the rows all of whose events were published. */
  published: string[];
  /** The others, with the events that were refused. */
  reduced: { id: string; events: StoredEvent[] }[];
}

const nothing: Published = { published: [], reduced: [] };

/** `one`, `all` and `many`: published, a single event, several, or with perhaps something left. */
type Outcome = 'busy' | 'empty' | 'one' | 'all' | 'many';

/**
 * Publishes the outbox in order of insertion and deletes durable events. One replica runs at a time, under an advisory lock that ends
 * with the transaction: with concurrent relays (or SKIP LOCKED) a later event of a key could overtake an earlier one. Rows are deleted
 * by id, so the next pass finds a row of a transaction that commits late with a lower id. A crash between publish and delete publishes
 * again.
 *
 * An event whose own data is refused stays in its row (T-29), without those beside it: the alerts WorkParked and OutboxStuck fire, and the
 * events behind it are published. It is tried again every ten minutes and after a restart.
 */
export class OutboxRelay {
  private readonly wakeup = new Wakeup();
  private running?: Promise<void>;
  private isStopped = false;
  private failures = 0;
  private busy = 0;
  /** Ids of the rows of refused events, and when each was parked, on the monotonic clock. */
  private readonly parked = new Map<string, number>();

  constructor(private readonly options: OutboxRelayOptions) {}

  start(): void {
    this.running ??= this.run();
  }

  /** Call after the commit of a transaction that wrote events. */
  wake(): void {
    this.wakeup.wake();
  }

  /** Ends after the current batch. Remaining events wait for the next start or another replica. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.wakeup.wake();
    await this.running;
  }

  async measure(): Promise<OutboxState> {
    const rows: { depth: number; age: number | null }[] = await this.options.dataSource.query(sql.state, [depthMax]);
    return { depth: rows[0]?.depth ?? 0, oldestAgeMs: Math.max(0, rows[0]?.age ?? 0) };
  }

  private async run(): Promise<void> {
    let isWoken = false;
    while (!this.isStopped) {
      const outcome = await this.attempt(isWoken);
      this.busy = outcome === 'busy' ? this.busy + 1 : 0;
      isWoken = outcome === 'many';
      if (this.isStopped || isWoken) continue;
      await this.gather(outcome);
      isWoken = await this.wakeup.wait(this.waitMs(outcome));
    }
  }

  private async gather(outcome: Outcome | 'failed'): Promise<void> {
    const { gatherMs } = this.options;
    if (outcome === 'all' || (outcome === 'one' && gatherMs !== undefined)) await pause(gatherMs ?? gatherMsDefault);
  }

  private waitMs(outcome: Outcome | 'failed'): number {
    if (outcome === 'failed') return backoffMs(this.failures, failureLimits);
    const isBusy = outcome === 'busy' && this.busy <= busyRetriesMax;
    return isBusy ? busyRetryMs : (this.options.idleMs ?? idleMsDefault);
  }

  /** `isWoken`: a commit of this replica is to be published, so it need not ask first. */
  private async attempt(isWoken: boolean): Promise<Outcome | 'failed'> {
    try {
      const isWanted = isWoken || (await this.hasWork());
      const outcome = isWanted ? await withConnection(this.options.dataSource, client => this.relay(client)) : 'empty';
      this.failures = 0;
      return outcome;
    } catch (error) {
      this.failures++;
      this.options.log.warn({ event: 'outbox-relay', attempt: this.failures, err: error }, 'outbox could not be published');
      return 'failed';
    }
  }

  /** A cheap query, so that an idle relay opens no transactions. It uses the index, which drops deleted rows sooner than the table. */
  private async hasWork(): Promise<boolean> {
    const rows: unknown[] = await this.options.dataSource.query(sql.hasWork, [this.passedOver()]);
    return rows.length > 0;
  }

  private async relay(client: PoolClient): Promise<Outcome> {
    const batchMax = this.options.batchMax ?? batchMaxDefault;
    const { isHeld, rows } = await this.begin(client, batchMax);
    const { published, reduced } = isHeld ? await this.publish(rows) : nothing;
    for (const { id, events } of reduced) await client.query(sql.leave, [id, ...linesOf(events)]);
    await client.query(sql.removeAndCommit(published));
    return isHeld ? outcomeOf(rows, batchMax) : 'busy';
  }

  private async begin(client: PoolClient, limit: number): Promise<{ isHeld: boolean; rows: StoredEvents[] }> {
    const text = sql.beginWithHead({ lock: relayLock, limit, passedOver: this.passedOver() });
    // A result for each statement; the type of `query` knows of one only.
    const results = (await client.query(text)) as unknown as [unknown, QueryResult<{ held: boolean }>, QueryResult<StoredEvents>];
    return { isHeld: results[1].rows[0]!.held, rows: results[2].rows };
  }

  private async publish(rows: readonly StoredEvents[]): Promise<Published> {
    const refused = new Map<string, StoredEvent[]>();
    const events = rows.flatMap(eventsIn);
    await isolate(events, {
      write: part => this.options.transport.publish(part.map(toEvent)),
      failed: (event, error) => {
        this.park(event, error);
        refused.set(event.rowId, [...(refused.get(event.rowId) ?? []), event]);
      },
    });
    return {
      published: rows.map(row => row.id).filter(id => !refused.has(id)),
      reduced: [...refused].map(([id, left]) => ({ id, events: left })),
    };
  }

  private park({ rowId, topic, key }: StoredEvent, error: unknown): void {
    if (this.parked.size >= parkedMax) throw new Error(`more than ${parkedMax} events are refused`, { cause: error });
    this.parked.set(rowId, performance.now());
    countParked('outbox');
    const fields = { event: 'outbox-parked', topic, transactionId: Number(key), reason: dataFaultReason(error) };
    this.options.log.error(fields, 'an event was refused because of its data; it stays in the outbox');
  }

  /** Ids that are not tried now. */
  private passedOver(): string[] {
    for (const [id, atMs] of this.parked) if (performance.now() - atMs > parkedMs) this.parked.delete(id);
    return [...this.parked.keys()];
  }
}

function outcomeOf(rows: readonly StoredEvents[], batchMax: number): Outcome {
  if (rows.length === 0) return 'empty';
  if (rows.length === batchMax) return 'many';
  return rows.length === 1 && eventsIn(rows[0]!).length === 1 ? 'one' : 'all';
}
