import { type DynamicModule, Module } from '@nestjs/common';
import { AcceptTokenService } from './accept-token.service';
import { AccessTokens, type Environment } from './access-tokens';
import { OpenSessionService, type SessionRules } from './open-session.service';
import { AccountSessionsController } from './http/account-sessions.controller';
import { PortalSessionsController } from './http/portal-sessions.controller';
import { PostgresSessionStore } from './persistence/postgres-session.store';
import { ReusedTokens } from './reused-tokens';
import { SessionStore } from './sessions.ports';

export interface SessionsOptions {
  environment: Environment;
  rules: SessionRules;
}

@Module({})
export class SessionsModule {
  static register({ environment, rules }: SessionsOptions): DynamicModule {
    return {
      module: SessionsModule,
      global: true,
      controllers: [AccountSessionsController, PortalSessionsController],
      providers: [
        { provide: 'Environment', useValue: environment },
        { provide: 'SessionRules', useValue: rules },
        { provide: SessionStore, useClass: PostgresSessionStore },
        AccessTokens,
        AcceptTokenService,
        OpenSessionService,
        ReusedTokens,
      ],
      exports: [AccessTokens, AcceptTokenService, OpenSessionService, ReusedTokens, SessionStore],
    };
  }
}
