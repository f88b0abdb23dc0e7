import type { DynamicModule, Type } from '@nestjs/common';
import type { EnvDefinition, EnvOf, EnvSchema } from './env';
import { createServiceApp } from './http/create-app';
import { createLogger, type Logger } from './logger';

interface Migratable<S extends EnvSchema> {
  name: string;
  env: EnvDefinition<S>;
  module(env: EnvOf<S>, logger: Logger): Type | DynamicModule;
}

/**
 * `node main.cjs migrate`: brings the service's own database to the schema of this release and ends; no listener, no consumer. For a
 * platform that migrates once per release with a role of its own and lets the service only check (`MIGRATIONS=check`).
 */
export async function migrateService<S extends EnvSchema>(
  definition: Migratable<S>,
  source: Record<string, string | undefined>,
): Promise<void> {
  const env = definition.env.read({ ...source, MIGRATIONS: 'run' });
  const logger = createLogger(definition.name, (env as unknown as { LOG_LEVEL: string }).LOG_LEVEL);
  // Creating the application opens its database, which migrates it; nothing that listens or consumes has started yet.
  const app = await createServiceApp(definition.module(env, logger), logger);
  await app.close();
  logger.info({ event: 'migrated' }, 'database has the schema of this release');
}
