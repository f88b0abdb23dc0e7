import { type DynamicModule, Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { LOGGER, type Logger } from '@paycode/service-runtime';
import { createEventTransport } from '../create-event-transport';
import { EventTransport } from '../event-transport';
import type { EventsOptions } from '../events-env';
import { EventsServer, eventsServerProvider } from './events-server';

/** The event transport of a service that publishes no events and so has no outbox, and the server of its consumers; both injectable by class. */
@Global()
@Module({})
export class ConsumingModule implements OnApplicationShutdown {
  constructor(@Inject(EventTransport) private readonly transport: EventTransport) {}

  /** `service` is shown to the database and to the brokers. */
  static forRoot(service: string, options: EventsOptions): DynamicModule {
    return {
      module: ConsumingModule,
      providers: [
        {
          provide: EventTransport,
          inject: [LOGGER],
          useFactory: (log: Logger) => createEventTransport(options, { service, log }),
        },
        eventsServerProvider,
      ],
      exports: [EventTransport, EventsServer],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.transport.close();
  }
}
