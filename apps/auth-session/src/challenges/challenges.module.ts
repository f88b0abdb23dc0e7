import { type DynamicModule, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { ChallengeBook, type ChallengeRules } from './challenge-book';
import { ChallengeStore, RsaWorkers } from './challenges.ports';
import { LoginChallengesController } from './http/login-challenges.controller';
import { IssueChallengeService } from './issue-challenge.service';
import { PostgresChallengeStore } from './persistence/postgres-challenge.store';
import { RsaWorkerPool, type RsaWorkerPoolOptions } from './rsa/rsa-worker-pool';

export interface ChallengesOptions {
  rules: ChallengeRules;
  rsa: RsaWorkerPoolOptions;
}

@Module({})
export class ChallengesModule implements OnApplicationShutdown {
  constructor(@Inject(RsaWorkers) private readonly workers: RsaWorkerPool) {}

  static register({ rules, rsa }: ChallengesOptions): DynamicModule {
    return {
      module: ChallengesModule,
      controllers: [LoginChallengesController],
      providers: [
        { provide: 'ChallengeRules', useValue: rules },
        { provide: RsaWorkers, useFactory: () => new RsaWorkerPool(rsa) },
        { provide: ChallengeStore, useClass: PostgresChallengeStore },
        ChallengeBook,
        IssueChallengeService,
      ],
      exports: [ChallengeBook],
    };
  }

  onApplicationShutdown(): Promise<void> {
    return this.workers.close();
  }
}
