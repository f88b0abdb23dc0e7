import { type DynamicModule, Global, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { PORTAL_RULES, PortalGuard, type PortalRules } from './http/portal.guard';
import { SessionsController } from './http/sessions.controller';
import { PurgeSessionsJob } from './jobs/purge-sessions.job';
import { PostgresSessionStore } from './persistence/postgres-session.store';
import { SessionStore } from './sessions.ports';

/** What PortalGuard checks requests by. */
export type SessionsOptions = PortalRules;

@Global()
@Module({})
export class SessionsModule {
  static register(rules: SessionsOptions): DynamicModule {
    return {
      module: SessionsModule,
      controllers: [SessionsController],
      providers: [
        { provide: SessionStore, useClass: PostgresSessionStore },
        { provide: PORTAL_RULES, useValue: rules },
        { provide: APP_GUARD, useClass: PortalGuard },
        PurgeSessionsJob,
      ],
      exports: [SessionStore, PORTAL_RULES],
    };
  }
}
