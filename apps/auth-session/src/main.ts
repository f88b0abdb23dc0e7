import 'reflect-metadata';
import { migrateDatabase } from '@paycode/persistence';
import { bootService } from '@paycode/service-runtime';
import { insertOnly, migrations } from '../migrations';
import { AppModule } from './app.module';
import { env } from './config/env';

export const service = bootService({
  name: 'auth-session',
  env,
  module: read => AppModule.forRoot(read),
  hasPublicPaths: true,
  migrate: migrateDatabase('auth-session', { insertOnly, migrations }),
});
