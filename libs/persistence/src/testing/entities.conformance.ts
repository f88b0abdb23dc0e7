import 'reflect-metadata';
import type { DataSource, EntityMetadata } from 'typeorm';
import { testDatabase, type TestDatabaseOptions } from './test-database';

type EntityClass = abstract new () => object;

interface ColumnShape {
  name: string;
  /** As PostgreSQL writes it: `bigint`, `text[]`, `timestamp with time zone`. */
  type: string;
  isNullable: boolean;
  isKey: boolean;
}

const columnsSql = `
  select attname as name, format_type(atttypid, atttypmod) as type, not attnotnull as "isNullable",
         exists (select from pg_index where indrelid = attrelid and indisprimary and attnum = any(indkey)) as "isKey"
    from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped order by attname collate "C"`;

/** Types that `pg` gives as text, because a number of JavaScript cannot hold them all. */
const givenAsText = new Set(['bigint', 'numeric']);

/** Columns as the entity has them. */
function shapesOf({ driver }: DataSource, { columns }: EntityMetadata): ColumnShape[] {
  const shapes = columns.map(column => ({
    name: column.databaseName,
    type: `${driver.normalizeType(column)}${column.length ? `(${column.length})` : ''}${column.isArray ? '[]' : ''}`,
    isNullable: column.isNullable,
    isKey: column.isPrimary,
  }));
  return shapes.sort((left, right) => (left.name < right.name ? -1 : 1));
}

/** Properties read as texts that the code does not take for texts: numbers, also those that may be null. */
function readAsText({ target, columns }: EntityMetadata): string[] {
  const isText = (property: string): boolean =>
    Reflect.getMetadata('design:type', (target as EntityClass).prototype as object, property) === String;
  return columns
    .filter(({ type, transformer }) => givenAsText.has(String(type)) && transformer === undefined)
    .map(({ propertyName }) => propertyName)
    .filter(property => !isText(property));
}

/** Proves that the entities of a service say what its migrated database says: every column, its type, whether it may be null, the key. */
export function describeEntities(entities: readonly EntityClass[], migrations: TestDatabaseOptions['migrations']): void {
  const database = testDatabase({ migrations, entities: [...entities] });

  it.each(entities.map(entity => [entity.name, entity] as const))('%s has the columns of its table', async (_, entity) => {
    const { dataSource } = database;
    const metadata = dataSource.getMetadata(entity);
    const columns = await dataSource.query<ColumnShape[]>(columnsSql, [metadata.tablePath]);
    expect(shapesOf(dataSource, metadata)).toEqual(columns);
    expect(readAsText(metadata)).toEqual([]);
  });
}
