import { type DynamicModule, Global, Module } from '@nestjs/common';
import { OutboundGuard, type OutboundPolicy, type ProbeLimits } from '@paycode/safe-http';
import { DataSource } from 'typeorm';
import { GuardedUrlProbe } from './clients/guarded-url.probe';
import { PostgresProbeBudgetStore, type ProbeBudgetSettings } from './persistence/postgres-probe-budget.store';
import { ProbeBudget, UrlProbe } from './probing.ports';
import { ValidateUrlService } from './validate-url.service';

export interface ProbingOptions {
  policy: OutboundPolicy;
  limits: ProbeLimits;
  budget: ProbeBudgetSettings;
}

@Global()
@Module({})
export class ProbingModule {
  static register({ policy, limits, budget }: ProbingOptions): DynamicModule {
    return {
      module: ProbingModule,
      providers: [
        ValidateUrlService,
        { provide: UrlProbe, useFactory: () => new GuardedUrlProbe(new OutboundGuard(policy), limits) },
        {
          provide: ProbeBudget,
          useFactory: (dataSource: DataSource) => new PostgresProbeBudgetStore(dataSource, budget),
          inject: [DataSource],
        },
      ],
      exports: [ValidateUrlService],
    };
  }
}
