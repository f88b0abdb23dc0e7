import { type DynamicModule, Module } from '@nestjs/common';
import { ServiceTokenModule } from '@paycode/access';
import { AccountsModule } from './accounts';
import { AuditModule } from './audit';
import { AuthorizeModule } from './authorize';
import { type Clock, ClockModule, SystemClock } from './clock';
import type { AuthSessionEnv } from './config/env';
import { DatabaseModule } from './database/database.module';
import { GuessingModule } from './guessing';
import { KeysModule } from './keys';
import { SessionsModule } from './sessions';

/** What tests put in place of the real thing. */
export interface AppOverrides {
  clock?: Clock;
}

@Module({})
export class AppModule {
  static forEnv(env: AuthSessionEnv, { clock = new SystemClock() }: AppOverrides = {}): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ServiceTokenModule.forService('auth-session', {
          serviceSecrets: env.SERVICE_TOKEN_SECRETS,
          operatorSecrets: env.OPERATOR_TOKEN_SECRETS,
        }),
        ClockModule.forClock(clock),
        DatabaseModule.forUrl({ url: env.DATABASE_URL, poolMax: env.DATABASE_POOL_MAX, migrations: env.MIGRATIONS }),
        AuditModule,
        KeysModule.sealedUnder(env.KEY_ENCRYPTION_KEYS),
        AccountsModule.withPeppers(env.PASSWORD_PEPPERS),
        GuessingModule.withLimits({
          pairFreeFailures: env.GUESSES_PER_IDENTITY_MAX,
          addressFreeFailures: env.GUESSES_PER_ADDRESS_MAX,
        }),
        SessionsModule.forEnvironment(env.PAYCODE_ENVIRONMENT),
        AuthorizeModule,
      ],
    };
  }
}
