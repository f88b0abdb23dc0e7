import { join } from 'node:path';
import { type DynamicModule, Module } from '@nestjs/common';
import { ServiceTokenModule, tokenKeyOptionsOf } from '@paycode/access';
import { connectionOptionsOf, DatabaseModule } from '@paycode/persistence';
import { type Clock, SystemClock } from '@paycode/timing';
import { insertOnly, migrations } from '../migrations';
import { AccountsModule } from './accounts';
import { AuditModule } from './audit';
import { AuthorizeModule, ExternalAuthorizationModule } from './authorize';
import { challengeLifetimeMs, ChallengesModule } from './challenges';
import { ClockModule } from './clock';
import type { AuthSessionEnv } from './config/env';
import { entities } from './entities';
import { GuessingModule } from './guessing';
import { HousekeepingModule } from './housekeeping';
import { KeysModule } from './keys';
import { LoginModule } from './login';
import { accessTokenLifetimeMs, type SessionRules, SessionsModule } from './sessions';

/** Replacements for tests. */
export interface AppOverrides {
  clock?: Clock;
  /** The bundled RSA worker. */
  rsaWorkerFile?: string;
}

/** A request that cannot be decided soon is refused, so that calls of authorize do not queue behind a slow database. */
const statementTimeoutMs = 5_000;

@Module({})
export class AppModule {
  static forRoot(env: AuthSessionEnv, overrides: AppOverrides = {}): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ServiceTokenModule.forRoot('auth-session', tokenKeyOptionsOf(env)),
        ClockModule.forRoot({ clock: overrides.clock ?? new SystemClock() }),
        DatabaseModule.forRoot('auth-session', {
          ...connectionOptionsOf(env),
          migrations,
          entities,
          statementTimeoutMs,
          insertOnly,
        }),
        AuditModule,
        KeysModule.register({ keyEncryptionKeys: env.KEY_ENCRYPTION_KEYS, signedForMs: accessTokenLifetimeMs }),
        AccountsModule.register({ peppers: env.PASSWORD_PEPPERS }),
        GuessingModule.register({
          pairFreeFailures: env.GUESSES_PER_IDENTITY_MAX,
          addressFreeFailures: env.GUESSES_PER_ADDRESS_MAX,
        }),
        SessionsModule.register({ environment: env.PAYCODE_ENVIRONMENT, rules: sessionRules(env) }),
        AuthorizeModule,
        ExternalAuthorizationModule.register({ tokens: env.EXTERNAL_AUTHORIZATION_TOKENS }),
        LoginModule.register({
          challenges: challenges(env, overrides.rsaWorkerFile ?? join(__dirname, 'rsa-challenge.worker.cjs')),
        }),
        HousekeepingModule,
      ],
    };
  }
}

function sessionRules(env: AuthSessionEnv): SessionRules {
  const lifetimeMaxMs = env.SESSION_LIFETIME_MAX_S === 0 ? Infinity : env.SESSION_LIFETIME_MAX_S * 1_000;
  return { lifetimeMaxMs, renewGraceMs: env.SESSION_RENEW_GRACE_S * 1_000 };
}

function challenges(env: AuthSessionEnv, workerFile: string): DynamicModule {
  const lifetimeMs = challengeLifetimeMs(env.PAYCODE_ENVIRONMENT);
  return ChallengesModule.register({
    rules: { lifetimeMs, perAddressPerMinute: env.CHALLENGES_PER_ADDRESS_PER_MINUTE },
    rsa: { workerFile, workers: env.RSA_WORKERS, queueMax: env.RSA_QUEUE_MAX },
  });
}
