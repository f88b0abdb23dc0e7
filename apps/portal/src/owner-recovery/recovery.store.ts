import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { openMs, type Recovery, type StoredState, type Tenant, type WantedRecovery } from './domain/recovery';

const row = `recovery_id as "recoveryId", tenant_type as "tenantType", tenant_id as "tenantId", email, name, reason,
  asked_by as "askedBy", asked_at as "askedAt", state, ended_by as "endedBy"`;

const recoverySql = {
  latest: `select ${row}, clock_timestamp() as now from owner_recovery where tenant_type = $1 and tenant_id = $2`,
  list: `select ${row}, clock_timestamp() as now from owner_recovery order by asked_at desc limit 100`,
  lock: `select ${row}, clock_timestamp() as now from owner_recovery where recovery_id = $1 for update`,
  // One that is open keeps its place; the next takes that of one which has ended.
  put: `
    insert into owner_recovery as r (tenant_type, tenant_id, email, name, reason, asked_by) values ($1, $2, $3, $4, $5, $6)
    on conflict (tenant_type, tenant_id) do update
      set recovery_id = gen_random_uuid(), email = excluded.email, name = excluded.name, reason = excluded.reason,
          asked_by = excluded.asked_by, asked_at = clock_timestamp(), state = 'OPEN', ended_by = null
      where r.state <> 'OPEN' or r.asked_at <= statement_timestamp() - $7 * interval '1 millisecond'
    returning ${row}, clock_timestamp() as now`,
  end: `update owner_recovery set state = $2, ended_by = $3 where recovery_id = $1 returning ${row}, clock_timestamp() as now`,
} as const;

type Row = Recovery & { now: Date };

/** With the moment at which it was read, by the database's clock. */
export interface KnownRecovery {
  recovery: Recovery;
  now: Date;
}

/** One recovery for each tenant. */
@Injectable()
export class RecoveryStore {
  constructor(private readonly dataSource: DataSource) {}

  async latest({ tenantType, tenantId }: Tenant): Promise<KnownRecovery | undefined> {
    const [found] = await this.dataSource.query<Row[]>(recoverySql.latest, [tenantType, tenantId]);
    return found && knownOf(found);
  }

  /** The latest 100. */
  async list(): Promise<KnownRecovery[]> {
    return (await this.dataSource.query<Row[]>(recoverySql.list)).map(knownOf);
  }

  /** undefined: one is open. */
  async put(wanted: WantedRecovery, askedBy: string): Promise<KnownRecovery | undefined> {
    const { tenantType, tenantId, email, name, reason } = wanted;
    const [put] = await this.dataSource.query<Row[]>(recoverySql.put, [
      tenantType,
      tenantId,
      email,
      name,
      reason,
      askedBy,
      openMs,
    ]);
    return put && knownOf(put);
  }

  /**
   * Ends it when `act` resolves, under the lock of its row, so that one of two steps counts. When the process dies before, it is open still.
   * undefined: there is no such recovery.
   */
  end(
    recoveryId: string,
    { state, by, act }: { state: StoredState; by: string; act: (found: KnownRecovery) => Promise<void> },
  ): Promise<KnownRecovery | undefined> {
    return this.dataSource.transaction(async manager => {
      const [found] = await manager.query<Row[]>(recoverySql.lock, [recoveryId]);
      if (!found) return undefined;
      await act(knownOf(found));
      const [rows] = await manager.query<[Row[], number]>(recoverySql.end, [recoveryId, state, by]);
      return knownOf(rows[0]!);
    });
  }
}

function knownOf({ now, ...recovery }: Row): KnownRecovery {
  return { recovery, now };
}
