import { EventsServer } from '@paycode/events';
import { migrateDatabase } from '@paycode/persistence';
import type { ServiceDefinition } from '@paycode/service-runtime';
import { migrations } from '../migrations';
import { AppModule } from './app.module';
import { env } from './config/env';

/** The service that `main.ts` and tests start. */
export const schedulerDefinition: ServiceDefinition<typeof env.schema> = {
  name: 'reversal-scheduler',
  env,
  module: values => AppModule.forRoot(values),
  hasPublicPaths: false,
  migrate: migrateDatabase('reversal-scheduler', { migrations }),
  events: app => app.get(EventsServer),
};
