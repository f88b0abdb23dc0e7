import { type DynamicModule, Global, Module, type Type } from '@nestjs/common';
import { noTracing, PaymentTracing } from './tracing';
import { HealthController } from './health/health.controller';
import { Lifecycle } from './health/readiness';
import type { Logger } from './logger';

/** Injection token of the service's logger (a pino instance). */
export const LOGGER = Symbol('LOGGER');

/** Gives every provider the logger, the lifecycle and tracing, and serves probes and metrics. */
@Global()
@Module({})
export class RuntimeModule {
  /** The root of a service's application, with `service` inside it. */
  static forRoot(service: Type | DynamicModule, logger: Logger, tracing: PaymentTracing = noTracing): DynamicModule {
    return {
      module: RuntimeModule,
      imports: [service],
      controllers: [HealthController],
      providers: [Lifecycle, { provide: LOGGER, useValue: logger }, { provide: PaymentTracing, useValue: tracing }],
      exports: [Lifecycle, LOGGER, PaymentTracing],
    };
  }
}
