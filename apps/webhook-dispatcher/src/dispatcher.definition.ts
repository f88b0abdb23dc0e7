import { EventsServer } from '@paycode/events';
import { migrateDatabase } from '@paycode/persistence';
import type { ServiceDefinition } from '@paycode/service-runtime';
import { migrations } from '../migrations';
import { AppModule } from './app.module';
import { env } from './config/env';

/** The service that `main.ts` and tests start. */
export const dispatcherDefinition: ServiceDefinition<typeof env.schema> = {
  name: 'webhook-dispatcher',
  env,
  module: settings => AppModule.forRoot(settings),
  hasPublicPaths: true,
  migrate: migrateDatabase('webhook-dispatcher', { migrations }),
  events: app => app.get(EventsServer),
};
