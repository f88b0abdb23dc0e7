import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../clock';
import { SecurityLog } from '../audit.ports';
import type { SecurityEvent } from '../security-event';

interface QueryRunning {
  query(sql: string, parameters: unknown[]): Promise<unknown>;
}

/** Writes the event through `runner`, so that a change and its event are one transaction. */
export async function insertSecurityEvent(runner: QueryRunning, event: SecurityEvent, at: Date): Promise<void> {
  const { kind, subject, origin, detail = null } = event;
  await runner.query(
    `insert into security_event (at, kind, actor, subject, address, request_id, detail) values ($1, $2, $3, $4, $5, $6, $7)`,
    [at, kind, origin.actor, subject, origin.address, origin.requestId, detail],
  );
}

@Injectable()
export class PostgresSecurityLog extends SecurityLog {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {
    super();
  }

  record(event: SecurityEvent): Promise<void> {
    return insertSecurityEvent(this.dataSource, event, new Date(this.clock.nowMs()));
  }
}
