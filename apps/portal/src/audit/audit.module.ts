import { Global, Module } from '@nestjs/common';
import { AuditLog } from './audit.ports';
import { PostgresAuditLog } from './persistence/postgres-audit-log';

@Global()
@Module({ providers: [{ provide: AuditLog, useClass: PostgresAuditLog }], exports: [AuditLog] })
export class AuditModule {}
