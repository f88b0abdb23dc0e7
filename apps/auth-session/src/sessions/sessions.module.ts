import { type DynamicModule, Module } from '@nestjs/common';
import { AcceptTokenService } from './accept-token.service';
import { AccessTokens, type Environment } from './access-tokens';
import { OpenSessionService, type SessionRules } from './open-session.service';
import { PostgresSessionStore } from './persistence/postgres-session-store';
import { SessionStore } from './sessions.ports';

@Module({})
export class SessionsModule {
  static with(environment: Environment, rules: SessionRules): DynamicModule {
    return {
      module: SessionsModule,
      global: true,
      providers: [
        { provide: 'Environment', useValue: environment },
        { provide: 'SessionRules', useValue: rules },
        { provide: SessionStore, useClass: PostgresSessionStore },
        AccessTokens,
        AcceptTokenService,
        OpenSessionService,
      ],
      exports: [AccessTokens, AcceptTokenService, OpenSessionService, SessionStore],
    };
  }
}
