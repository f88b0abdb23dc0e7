import type { FactoryProvider } from '@nestjs/common';
import { Lifecycle, LOGGER, type Logger } from '@paycode/service-runtime';
import { EventTransport } from '../event-transport';
import { EventsServer } from './events-server';

/** The consumers of a service. Its definition hands the server to Nest, which starts it after the listeners. */
export const eventsServerProvider: FactoryProvider = {
  provide: EventsServer,
  inject: [EventTransport, LOGGER, Lifecycle],
  useFactory: (transport: EventTransport, log: Logger, lifecycle: Lifecycle) => new EventsServer({ transport, log, lifecycle }),
};
