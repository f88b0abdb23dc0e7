import { EventsServer } from '@paycode/events';
import { migrateDatabase } from '@paycode/persistence';
import type { ServiceDefinition } from '@paycode/service-runtime';
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
  events: app => app.get(EventsServer),
};
