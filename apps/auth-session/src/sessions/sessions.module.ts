import { type DynamicModule, Module } from '@nestjs/common';
import { AcceptTokenService } from './accept-token.service';
import { AccessTokens, type Environment } from './access-tokens';
import { PostgresSessionStore } from './persistence/postgres-session-store';
import { SessionStore } from './sessions.ports';

@Module({})
export class SessionsModule {
  static forEnvironment(environment: Environment): DynamicModule {
    return {
      module: SessionsModule,
      global: true,
      providers: [
        { provide: 'Environment', useValue: environment },
        { provide: SessionStore, useClass: PostgresSessionStore },
        AccessTokens,
        AcceptTokenService,
      ],
      exports: [AccessTokens, AcceptTokenService, SessionStore],
    };
  }
}
