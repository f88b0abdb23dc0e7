import pg from 'pg';
import type { PlantedFault } from './planted-fault.ts';

/** Whether the fault changes what a migration makes: specs clone a database that was migrated once, before. */
export function reachesTemplates({ file }: Pick<PlantedFault, 'file'>): boolean {
  return /\/migrations\/|migration|outbox\.sql/.test(file);
}

/** Drops the migrated databases that specs clone; the next spec makes its own again. */
export async function forgetTemplates(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      `select format('%I', datname) as name from pg_database where datname like 'template\\_%'`,
    );
    for (const { name } of rows) await client.query(`drop database if exists ${name} with (force)`);
  } finally {
    await client.end();
  }
}
