import { Global, Module } from '@nestjs/common';
import { SecurityLog } from './audit.ports';
import { PostgresSecurityLog } from './persistence/postgres-security-log';

@Global()
@Module({ providers: [{ provide: SecurityLog, useClass: PostgresSecurityLog }], exports: [SecurityLog] })
export class AuditModule {}
