import { type DynamicModule, Module } from '@nestjs/common';
import { guessDelays, GuessStore, PostgresGuessStore } from '@paycode/guessing';
import { GuessLimiter, type GuessRules } from './guess-limiter';
import { MinuteQuota } from './minute-quota';

@Module({})
export class GuessingModule {
  static register(limits: { pairFreeFailures: number; addressFreeFailures: number }): DynamicModule {
    const rules: GuessRules = {
      pair: { ...guessDelays, freeTries: limits.pairFreeFailures },
      address: { ...guessDelays, freeTries: limits.addressFreeFailures },
      account: { ...guessDelays, freeTries: 1_000_000 },
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
