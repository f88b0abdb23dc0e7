import { type DynamicModule, Global, Module, type Type } from '@nestjs/common';
import { HealthController } from './health/health.controller';
import { Lifecycle } from './health/readiness';
import type { Logger } from './logger';

/** Injection token of the service's logger (a pino instance). */
export const LOGGER = Symbol('LOGGER');

/** Gives every provider the logger and the lifecycle, and serves probes and metrics. */
@Global()
@Module({})
export class RuntimeModule {
  /** The root of a service's application, with `service` inside it. */
  static around(service: Type | DynamicModule, logger: Logger): DynamicModule {
    return {
      module: RuntimeModule,
      imports: [service],
      controllers: [HealthController],
      providers: [Lifecycle, { provide: LOGGER, useValue: logger }],
      exports: [Lifecycle, LOGGER],
    };
  }
}
