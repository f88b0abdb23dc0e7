import { type DynamicModule, Module } from '@nestjs/common';
import { GuessLimiter, type GuessRules } from './guess-limiter.service';
import { GuessStore } from './guessing.ports';
import { PostgresGuessStore } from './persistence/postgres-guess-store';

const delays = { delayFirstMs: 1_000, delayMaxMs: 60_000 };

@Module({})
export class GuessingModule {
  static withLimits(limits: { pairFreeFailures: number; addressFreeFailures: number }): DynamicModule {
    const rules: GuessRules = {
      pair: { ...delays, freeFailures: limits.pairFreeFailures },
      address: { ...delays, freeFailures: limits.addressFreeFailures },
    };
    return {
      module: GuessingModule,
      global: true,
      providers: [
        { provide: GuessStore, useClass: PostgresGuessStore },
        { provide: 'GuessRules', useValue: rules },
        GuessLimiter,
      ],
      exports: [GuessLimiter],
    };
  }
}
