import { type DynamicModule, Global, Module } from '@nestjs/common';
import { HealthController } from './health/health.controller';
import { Lifecycle } from './health/readiness';
import type { Logger } from './logger';

/** Injection token of the service's logger (a pino instance). */
export const LOGGER = Symbol('LOGGER');

/** Gives every provider the logger and the lifecycle, and serves probes and metrics. */
@Global()
@Module({})
export class RuntimeModule {
  static forService(logger: Logger): DynamicModule {
    return {
      module: RuntimeModule,
      controllers: [HealthController],
      providers: [Lifecycle, { provide: LOGGER, useValue: logger }],
      exports: [Lifecycle, LOGGER],
    };
  }
}
