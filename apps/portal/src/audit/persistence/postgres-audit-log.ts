import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type AuditEvent, AuditLog } from '../audit.ports';
import { auditEventSql as sql } from './audit-event.sql';

@Injectable()
export class PostgresAuditLog extends AuditLog {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  override async record({ personId, personName, action, merchantId, origin, detail }: AuditEvent): Promise<void> {
    const { address, requestId } = origin;
    await this.dataSource.query(sql.insert, [personId, personName, action, merchantId ?? null, address, requestId, detail ?? {}]);
  }
}
