import { migrateDatabase } from '@paycode/persistence';
import type { ServiceDefinition } from '@paycode/service-runtime';
import { insertOnly, migrations } from '../migrations';
import { AppModule } from './app.module';
import { env } from './config/env';

/** The service that `main.ts` and tests start. */
export const notificationConfigDefinition: ServiceDefinition<typeof env.schema> = {
  name: 'notification-config',
  env,
  module: values => AppModule.forRoot(values),
  hasPublicPaths: true,
  migrate: migrateDatabase('notification-config', { insertOnly, migrations }),
};
