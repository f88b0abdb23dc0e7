import type { databaseEnv, EnvOf } from '@paycode/service-runtime';

export type DatabaseEnv = EnvOf<typeof databaseEnv> & { SCHEMA_OWNER_DATABASE_URL?: string | null };

/** How a service reaches its database. */
export interface ConnectionOptions {
  url: string;
  poolMax: number;
  /** PEM file of the authority of the server's certificate; null: those that Node knows. */
  caFile: string | null;
  /** The role that the service logs in as, when `url` is of the owner of the schema; null: the service is the owner. */
  serviceRole: string | null;
  /** At start: apply them, or refuse to start. */
  pendingMigrations: 'run' | 'check';
  /** Under another role than the service's own, which owns the schema: used for migrations only. */
  schemaOwnerUrl?: string | null;
}

export function connectionOptionsOf(env: DatabaseEnv): ConnectionOptions {
  return {
    url: env.DATABASE_URL,
    poolMax: env.DATABASE_POOL_MAX,
    caFile: env.DATABASE_CA_FILE,
    serviceRole: env.DATABASE_SERVICE_ROLE,
    pendingMigrations: env.MIGRATIONS,
    schemaOwnerUrl: env.SCHEMA_OWNER_DATABASE_URL,
  };
}
