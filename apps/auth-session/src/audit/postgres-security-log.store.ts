import { Inject, Injectable } from '@nestjs/common';
import { dataFaultReason, isolate } from '@paycode/persistence';
import { LOGGER, type Logger } from '@paycode/service-runtime';
import { DataSource } from 'typeorm';
import { Clock } from '@paycode/service-runtime/timing';
import { type SecurityEvent, SecurityLog } from './security-log';

const columns = 'at, kind, actor, subject, address, request_id, detail';

const insertSql = `
  insert into security_event (${columns})
  select * from unnest($1::timestamptz[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])`;

interface QueryRunning {
  query(sql: string, parameters: unknown[]): Promise<unknown>;
}

interface TimedEvent {
  event: SecurityEvent;
  at: Date;
}

/** Writes the event through `runner`, so that a change and its event are one transaction. */
export function insertSecurityEvent(runner: QueryRunning, event: SecurityEvent, at: Date): Promise<void> {
  return insertAll(runner, [{ event, at }]);
}

async function insertAll(runner: QueryRunning, events: readonly TimedEvent[]): Promise<void> {
  const rows = events.map(({ event: { kind, subject, origin, detail = null }, at }) => {
    return [at, kind, origin.actor, subject, origin.address, origin.requestId, detail];
  });
  await runner.query(
    insertSql,
    Array.from({ length: 7 }, (_, column) => rows.map(row => row[column])),
  );
}

@Injectable()
export class PostgresSecurityLogStore extends SecurityLog {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super();
  }

  record(event: SecurityEvent): Promise<void> {
    return insertSecurityEvent(this.dataSource, event, new Date(this.clock.epochMs()));
  }

  recordAll(events: readonly TimedEvent[]): Promise<void> {
    return isolate(events, {
      write: some => insertAll(this.dataSource, some),
      failed: (_, error) => {
        const reason = dataFaultReason(error);
        this.logger.error({ event: 'security-event-refused', reason }, 'a security event that can never be stored');
      },
    });
  }
}
