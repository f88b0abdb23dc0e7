import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger } from '@paycode/service-runtime';
import { Clock, PeriodicJob } from '@paycode/service-runtime/timing';
import { DataSource } from 'typeorm';

const purgeSql = {
  /** Deletes at most `rowsMax` rows whose `column` is before $1, to keep locks short. Table and column names come from the code only. */
  expired: (table: string, column: string, rowsMax: number) =>
    `delete from ${table} where ctid = any(array(select ctid from ${table} where ${column} < $1 limit ${rowsMax}))`,

  // Uses a function of the schema's owner, which removes rows older than their retention: the service itself may only add to the log.
  securityEvents: 'select purge_security_events($1) as count',
} as const;

const intervalMs = 60_000;
/** Rows removed per statement, to keep locks and transactions short. */
const batchMax = 5_000;
const batchesPerRunMax = 20;
const [minuteMs, dayMs] = [60_000, 86_400_000];

/** The tables, and how long after their end rows are deleted. Every replica may run it: deleting a row twice does no harm. */
const purges = [
  { table: 'login_challenge', column: 'expires_at', keepMs: minuteMs },
  { table: 'session', column: 'expires_at', keepMs: dayMs },
  { table: 'guess_count', column: 'forget_at', keepMs: 0 },
] as const;

/** Removes expired rows, so that no table grows with the total number of logins. */
@Injectable()
export class PurgeJob extends PeriodicJob {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    // The next run tries again.
    const failed = (err: unknown) => logger.warn({ event: 'purge-failed', err }, 'expired rows were not removed');
    super(() => this.runLogged(), { everyMs: intervalMs, firstAfterMs: intervalMs, failed });
  }

  /** Resolves to the number of rows removed. */
  async run(): Promise<number> {
    let count = 0;
    for (const purge of purges) count += await this.purge(purge);
    return count + (await this.purgeSecurityLog());
  }

  private async runLogged(): Promise<void> {
    const count = await this.run();
    if (count > 0) this.logger.info({ event: 'purged', count }, 'expired rows removed');
  }

  private purgeSecurityLog(): Promise<number> {
    return inBatches(async () => {
      const [row] = await this.dataSource.query<[{ count: number }]>(purgeSql.securityEvents, [batchMax]);
      return row.count;
    });
  }

  private purge({ table, column, keepMs }: (typeof purges)[number]): Promise<number> {
    const before = new Date(this.clock.epochMs() - keepMs);
    const sql = purgeSql.expired(table, column, batchMax);
    return inBatches(async () => (await this.dataSource.query<[unknown, number]>(sql, [before]))[1]);
  }
}

async function inBatches(remove: () => Promise<number>): Promise<number> {
  let total = 0;
  for (let batch = 0; batch < batchesPerRunMax; batch++) {
    const count = await remove();
    total += count;
    if (count < batchMax) break;
  }
  return total;
}
