import { type DynamicModule, Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { LOGGER, type Logger } from '@paycode/service-runtime';
import { createEventTransport } from '../create-event-transport';
import { EventTransport } from '../event-transport';
import type { EventsEnv } from '../events-env';

/** The event transport of a service that publishes no events and so has no outbox. Injectable by its class. */
@Global()
@Module({})
export class ConsumingModule implements OnApplicationShutdown {
  constructor(@Inject(EventTransport) private readonly transport: EventTransport) {}

  /** `service` is shown to the database and to the brokers. */
  static forRoot(service: string, env: EventsEnv): DynamicModule {
    return {
      module: ConsumingModule,
      providers: [
        {
          provide: EventTransport,
          inject: [LOGGER],
          useFactory: (log: Logger) => createEventTransport(env, { service, log }),
        },
      ],
      exports: [EventTransport],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.transport.close();
  }
}
