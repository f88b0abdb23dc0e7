import { EventsServer, EventTransport } from '@paycode/events';
import { Lifecycle, LOGGER, type Logger, type ServiceDefinition } from '@paycode/service-runtime';
import { AppModule } from './app.module';
import { env } from './config/env';
import { AssignedPartitions } from './dispatcher';

/** What `main.ts` boots and tests start. */
export const dispatcherDefinition: ServiceDefinition<typeof env.schema> = {
  name: 'webhook-dispatcher',
  env,
  module: settings => AppModule.withSettings(settings),
  hasPublicPaths: true,
  events: app => {
    const options = { transport: app.get(EventTransport), log: app.get<Logger>(LOGGER), lifecycle: app.get(Lifecycle) };
    const server = new EventsServer(options);
    app.get(AssignedPartitions).follow(server);
    return server;
  },
};
