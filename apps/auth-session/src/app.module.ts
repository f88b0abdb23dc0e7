import { join } from 'node:path';
import { type DynamicModule, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { browserSessionIdleS, ServiceTokenModule, tokenKeyOptionsOf } from '@paycode/access';
import { ApiPasswordHasher, KeyRing, PayloadSealer } from '@paycode/crypto';
import { requestLimits } from '@paycode/dto';
import { guessDelays, GuessStore, PostgresGuessStore } from '@paycode/access/guessing';
import { connectionOptionsOf, DatabaseModule } from '@paycode/persistence';
import { Clock, SystemClock } from '@paycode/service-runtime/timing';
import { DataSource } from 'typeorm';
import { insertOnly, migrations } from '../migrations';
import { AccountStore } from './accounts/account.store';
import { AccountsController, LimitsController } from './accounts/accounts.controller';
import { AccountsService } from './accounts/accounts.service';
import { PortalAccountsController } from './accounts/portal-accounts.controller';
import { SourceRule } from './accounts/source-rule';
import { EventCounts } from './audit/event-counts';
import { PostgresSecurityLogStore } from './audit/postgres-security-log.store';
import { SecurityLog } from './audit/security-log';
import { AuthorizeRoute } from './authorize/authorize.route';
import { AuthorizeService } from './authorize/authorize.service';
import { ExternalAuthorizationController, ProxyTokens } from './authorize/external-authorization.controller';
import { IdentityAssertions } from './authorize/identity-assertions';
import { BasicStrategy, BearerStrategy, PassportAuthenticator } from './authorize/passport-authenticator';
import { VerifyPasswordService } from './authorize/verify-password.service';
import { ChallengeStore } from './challenges/challenge.store';
import { CHALLENGE_RULES, type ChallengeRules, ChallengesService } from './challenges/challenges.service';
import { challengeLifetimeMs } from './challenges/domain/challenge-answer';
import { LoginChallengesController } from './challenges/login-challenges.controller';
import { RsaWorkerPool } from './challenges/rsa-worker-pool';
import type { AuthSessionEnv } from './config/env';
import { entities } from './entities';
import { GUESS_RULES, GuessLimiter, type GuessRules, MinuteQuota } from './guessing/guess-limiter';
import { KeyStore } from './keys/key.store';
import { KeysController } from './keys/keys.controller';
import { ServiceKeys } from './keys/service-keys';
import { AuthenticationController } from './login/authentication.controller';
import { LoginService } from './login/login.service';
import { PortalPeopleStore } from './people/portal-people.store';
import { ProofController } from './people/proof.controller';
import { ProofService } from './people/proof.service';
import { PurgeJob } from './purge.job';
import { AccessTokens, TOKEN_ENVIRONMENT } from './sessions/access-tokens';
import { AccountSessionsController, PortalSessionsController } from './sessions/account-sessions.controller';
import { AccountSessionsService } from './sessions/account-sessions.service';
import { accessTokenLifetimeMs } from './sessions/domain/access-token';
import { SessionStore } from './sessions/session.store';
import { SESSION_RULES, type SessionRules, SessionsService } from './sessions/sessions.service';

/** Replacements for tests. */
export interface AppOverrides {
  clock?: Clock;
  /** The bundled RSA worker. */
  rsaWorkerFile?: string;
  rsaQueueMax?: number;
  guessesMax?: typeof guessesMax;
  challengesPerMinute?: number;
  sessionLifetimeMaxMs?: number;
}

/** A request that cannot be decided soon is refused, so that calls of authorize do not queue behind a slow database. */
const statementTimeoutMs = 5_000;

/** Accounts, logins and sessions, and the decision about every request of a client. */
@Module({})
export class AppModule implements OnApplicationShutdown {
  constructor(@Inject(RsaWorkerPool) private readonly workers: RsaWorkerPool) {}

  static forRoot(env: AuthSessionEnv, overrides: AppOverrides = {}): DynamicModule {
    const sealer = new PayloadSealer(KeyRing.parse(env.KEY_ENCRYPTION_KEYS));
    return {
      module: AppModule,
      imports: [
        ServiceTokenModule.forRoot('auth-session', tokenKeyOptionsOf(env)),
        DatabaseModule.forRoot('auth-session', {
          ...connectionOptionsOf(env),
          migrations,
          entities,
          statementTimeoutMs,
          insertOnly,
        }),
      ],
      controllers: [
        KeysController,
        AccountsController,
        LimitsController,
        PortalAccountsController,
        AccountSessionsController,
        PortalSessionsController,
        ProofController,
        ExternalAuthorizationController,
        AuthenticationController,
        LoginChallengesController,
      ],
      providers: [
        EventCounts,
        AccountStore,
        AccountsService,
        SourceRule,
        GuessLimiter,
        MinuteQuota,
        SessionStore,
        SessionsService,
        AccountSessionsService,
        AccessTokens,
        AuthorizeRoute,
        AuthorizeService,
        BasicStrategy,
        BearerStrategy,
        PassportAuthenticator,
        VerifyPasswordService,
        IdentityAssertions,
        LoginService,
        ChallengesService,
        ChallengeStore,
        PurgeJob,
        { provide: Clock, useValue: overrides.clock ?? new SystemClock() },
        { provide: SecurityLog, useClass: PostgresSecurityLogStore },
        { provide: GuessStore, useClass: PostgresGuessStore },
        { provide: GUESS_RULES, useValue: guessRules(overrides) },
        { provide: CHALLENGE_RULES, useValue: challengeRules(env, overrides) },
        { provide: SESSION_RULES, useValue: sessionRules(overrides) },
        { provide: TOKEN_ENVIRONMENT, useValue: env.PAYCODE_ENVIRONMENT },
        { provide: ApiPasswordHasher, useFactory: () => new ApiPasswordHasher(KeyRing.parse(env.PASSWORD_PEPPERS)) },
        ProofService,
        { provide: PortalPeopleStore, useFactory: () => portalPeople(env) },
        { provide: ProxyTokens, useFactory: () => new ProxyTokens(env.EXTERNAL_AUTHORIZATION_TOKENS) },
        { provide: RsaWorkerPool, useFactory: () => rsaWorkerPool(overrides) },
        {
          provide: KeyStore,
          inject: [DataSource, Clock],
          useFactory: (dataSource: DataSource, clock: Clock) => new KeyStore(dataSource, sealer, clock),
        },
        {
          provide: ServiceKeys,
          inject: [KeyStore],
          useFactory: (store: KeyStore) => new ServiceKeys(store, accessTokenLifetimeMs),
        },
      ],
    };
  }

  onApplicationShutdown(): Promise<void> {
    return this.workers.close();
  }
}

/** Wrong credentials before a wait: of a person who mistypes, and of an office behind one address (T-05). */
const guessesMax = { ofIdentityFromAddress: 5, ofAddress: 50 };

function guessRules(overrides: AppOverrides): GuessRules {
  const most = overrides.guessesMax ?? guessesMax;
  return {
    pair: { ...guessDelays, freeTries: most.ofIdentityFromAddress },
    address: { ...guessDelays, freeTries: most.ofAddress },
    account: { ...guessDelays, freeTries: 1_000_000 },
  };
}

function challengeRules(env: AuthSessionEnv, { challengesPerMinute }: AppOverrides): ChallengeRules {
  const lifetimeMs = challengeLifetimeMs(env.PAYCODE_ENVIRONMENT);
  return { lifetimeMs, perAddressPerMinute: challengesPerMinute ?? requestLimits.challengesPerAddressPerMinute };
}

/** For so long after a renewal the replaced token is refused alone; later it counts as stolen and ends its session. Calls in parallel take less. */
const renewGraceMs = 10_000;

/** After a day of renewals a program shows its password again. */
const sessionLifetimeMaxMs = 86_400_000;

function sessionRules(overrides: AppOverrides): SessionRules {
  return { lifetimeMaxMs: overrides.sessionLifetimeMaxMs ?? sessionLifetimeMaxMs, renewGraceMs };
}

/** Most connections to the portal's database: pages ask for one row at a time. */
const portalPoolMax = 4;

function portalPeople({ PORTAL_DATABASE_URL: url, DATABASE_CA_FILE: caFile }: AuthSessionEnv): PortalPeopleStore {
  const connection = { caFile, applicationName: 'auth-session', poolMax: portalPoolMax, statementTimeoutMs };
  return new PortalPeopleStore({ database: url === null ? null : { url, ...connection }, idleS: browserSessionIdleS });
}

/** RSA tasks that may wait, some 0.4 s of one worker; beyond that login-challenges answers 429 (T-02). */
const rsaQueueMax = 64;

/** One thread serves about 150 challenges a second (T-02); replicas add more. */
const rsaWorkers = 1;

function rsaWorkerPool({ rsaWorkerFile, ...overrides }: AppOverrides): RsaWorkerPool {
  const workerFile = rsaWorkerFile ?? join(__dirname, 'rsa-challenge.worker.cjs');
  return new RsaWorkerPool({ workerFile, workers: rsaWorkers, queueMax: overrides.rsaQueueMax ?? rsaQueueMax });
}
