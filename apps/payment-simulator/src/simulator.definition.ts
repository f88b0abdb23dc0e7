import { EventsServer, EventTransport } from '@paycode/events';
import { migrateDatabase } from '@paycode/persistence';
import { Lifecycle, LOGGER, type Logger, type ServiceDefinition } from '@paycode/service-runtime';
import { migrations } from '../migrations';
import { AppModule } from './app.module';
import { env } from './config/env';

/** The service that `main.ts` and tests start. */
export const simulatorDefinition: ServiceDefinition<typeof env.schema> = {
  name: 'payment-simulator',
  env,
  module: values => AppModule.forRoot(values),
  hasPublicPaths: true,
  migrate: migrateDatabase('payment-simulator', { migrations }),
  events: app =>
    new EventsServer({ transport: app.get(EventTransport), log: app.get<Logger>(LOGGER), lifecycle: app.get(Lifecycle) }),
};
