import { EventsServer, EventTransport } from '@paycode/events';
import { migrateDatabase } from '@paycode/persistence';
import { Lifecycle, LOGGER, type Logger, type ServiceDefinition } from '@paycode/service-runtime';
import { insertOnly, migrations, reader } from '../migrations';
import { AppModule } from './app.module';
import { env } from './config/env';

/** The application that `main.ts` boots and tests start. */
export const portalDefinition: ServiceDefinition<typeof env.schema> = {
  name: 'portal',
  env,
  module: settings => AppModule.forRoot(settings),
  hasPublicPaths: true,
  migrate: migrateDatabase('portal', { insertOnly, migrations, reader }),
  events: app =>
    new EventsServer({ transport: app.get(EventTransport), log: app.get<Logger>(LOGGER), lifecycle: app.get(Lifecycle) }),
};
