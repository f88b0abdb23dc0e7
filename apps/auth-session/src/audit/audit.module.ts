import { Global, Module } from '@nestjs/common';
import { SecurityLog } from './audit.ports';
import { EventCounts } from './event-counts';
import { PostgresSecurityLog } from './persistence/postgres-security-log.store';

@Global()
@Module({
  providers: [{ provide: SecurityLog, useClass: PostgresSecurityLog }, EventCounts],
  exports: [EventCounts, SecurityLog],
})
export class AuditModule {}
