import { type DynamicModule, Module } from '@nestjs/common';
import { forgetAfterMs } from './domain/guess-rule';
import { GuessLimiter, type GuessRules } from './guess-limiter';
import { GuessStore } from './guessing.ports';
import { MinuteQuota } from './minute-quota';
import { PostgresGuessStore } from './persistence/postgres-guess.store';

const delays = { delayFirstMs: 1_000, delayMaxMs: 60_000, memoryMs: forgetAfterMs, memorySince: 'LAST_TRY' } as const;

@Module({})
export class GuessingModule {
  static register(limits: { pairFreeFailures: number; addressFreeFailures: number }): DynamicModule {
    const rules: GuessRules = {
      pair: { ...delays, freeTries: limits.pairFreeFailures },
      address: { ...delays, freeTries: limits.addressFreeFailures },
      account: { ...delays, freeTries: 1_000_000 },
    };
    return {
      module: GuessingModule,
      global: true,
      providers: [
        { provide: GuessStore, useClass: PostgresGuessStore },
        { provide: 'GuessRules', useValue: rules },
        GuessLimiter,
        MinuteQuota,
      ],
      exports: [GuessLimiter, MinuteQuota],
    };
  }
}
