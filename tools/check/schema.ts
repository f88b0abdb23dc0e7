/** `npm run generate -- schema`: writes the schema.sql of every service from its migrations, applied by a PostgreSQL of its own. */
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../../libs/persistence/src/embedded/embedded-postgres.ts';
import type { createTestDatabase } from '../../libs/persistence/src/testing/test-database.ts';
import { loadWorkspaceModules } from '../run/build/bundle-options.ts';
import { type Page, writePages } from './docs/page.ts';
import { migrationsIn, schemaFile, type SchemaSource, schemaSources } from './schema/schema-sources.ts';
import { closeRunFolder, openRunFolder } from '../prove/testing/run-folder.ts';

const root = join(import.meta.dirname, '../..');

type Modules = Record<string, Record<string, unknown>>;

/** Reads the schema of one database after its migrations. */
async function textOf(source: SchemaSource, modules: Modules): Promise<string> {
  const open = modules['test-database']!['createTestDatabase'] as typeof createTestDatabase;
  const database = await open({ migrations: migrationsIn(modules[nameOf(source)]!) });
  try {
    return await schemaFile(source, <R>(sql: string) => database.dataSource.query<R[]>(sql));
  } finally {
    await database.drop();
  }
}

const nameOf = ({ schema }: SchemaSource): string => `${schema.split('/')[1]}.schema`;

async function writeAll(): Promise<void> {
  const sources = schemaSources(root);
  const modules = await loadWorkspaceModules({
    'test-database': join(root, 'libs/persistence/src/testing/test-database.ts'),
    ...Object.fromEntries(sources.map(source => [nameOf(source), join(root, source.migrations)])),
  });
  // A migration that fails leaves every file as it was.
  const pages: Page[] = [];
  for (const source of sources) pages.push({ path: source.schema, text: await textOf(source, modules) });
  for (const path of writePages(pages)) console.log(`wrote ${path}`);
}

const folder = openRunFolder();
try {
  const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres'), volatile: true, endsWithParent: true });
  process.env['PAYCODE_TEST_DATABASE_URL'] = postgres.url;
  await writeAll().finally(() => postgres.stop());
} finally {
  await closeRunFolder(folder);
}
