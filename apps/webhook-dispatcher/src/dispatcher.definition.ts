import { EventsServer, EventTransport } from '@paycode/events';
import { migrateDatabase } from '@paycode/persistence';
import { Lifecycle, LOGGER, type Logger, type ServiceDefinition } from '@paycode/service-runtime';
import { migrations } from '../migrations';
import { AppModule } from './app.module';
import { env } from './config/env';
import { AssignedPartitions } from './dispatcher';

/** The service that `main.ts` and tests start. */
export const dispatcherDefinition: ServiceDefinition<typeof env.schema> = {
  name: 'webhook-dispatcher',
  env,
  module: settings => AppModule.forRoot(settings),
  hasPublicPaths: true,
  migrate: migrateDatabase('webhook-dispatcher', { migrations }),
  events: app => {
    const options = { transport: app.get(EventTransport), log: app.get<Logger>(LOGGER), lifecycle: app.get(Lifecycle) };
    const server = new EventsServer(options);
    app.get(AssignedPartitions).follow(server);
    return server;
  },
};
