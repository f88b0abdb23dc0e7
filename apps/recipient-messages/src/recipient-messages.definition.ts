import { EventsServer } from '@paycode/events';
import { migrateDatabase } from '@paycode/persistence';
import type { ServiceDefinition } from '@paycode/service-runtime';
import { migrations } from '../migrations';
import { AppModule } from './app.module';
import { env } from './config/env';

/** The service that `main.ts` and tests start. */
export const recipientMessagesDefinition: ServiceDefinition<typeof env.schema> = {
  name: 'recipient-messages',
  env,
  module: settings => AppModule.forRoot(settings),
  hasPublicPaths: false,
  migrate: migrateDatabase('recipient-messages', { migrations }),
  events: app => app.get(EventsServer),
};
