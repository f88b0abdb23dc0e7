import { Global, Module } from '@nestjs/common';
import { SecurityLog } from './audit.ports';
import { EventCounts } from './event-counts';
import { PostgresSecurityLogStore } from './persistence/postgres-security-log.store';

@Global()
@Module({
  providers: [{ provide: SecurityLog, useClass: PostgresSecurityLogStore }, EventCounts],
  exports: [EventCounts, SecurityLog],
})
export class AuditModule {}
