import { DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';

/** Key of the advisory lock that lets one replica migrate while the others wait. An arbitrary constant; each service has its own database. */
const migrationLock = 7_240_926;

/** A change of a large table may take hours. It waits for a lock only so long, because all that uses the table waits behind it. */
const migrationMsMax = 86_400_000;
const lockWaitMs = 5_000;

/** The same database under limits of its own, which the statements of a service do not have. */
function forMigrations({ options }: DataSource): Promise<DataSource> {
  const limits = { statement_timeout: migrationMsMax, query_timeout: migrationMsMax, lock_timeout: lockWaitMs };
  const extra = { ...(options.extra as object), ...limits };
  return new DataSource({ ...options, poolSize: 2, extra } as typeof options).initialize();
}

/** Applies pending migrations once, whatever number of replicas start together; then gives the service's role its rights, if it is not the owner, and a reader's. */
export async function runMigrations(dataSource: DataSource, rights?: ServiceRights, reader?: ReaderRights): Promise<string[]> {
  const migrating = await forMigrations(dataSource);
  const holder = migrating.createQueryRunner();
  try {
    // Another replica may be migrating for as long as that takes.
    await holder.query('set lock_timeout = 0');
    await holder.query('select pg_advisory_lock($1)', [migrationLock]);
    const applied = await migrating.runMigrations();
    if (rights) await grantRights(dataSource, rights);
    if (reader) await grantReading(dataSource, reader);
    return applied.map(migration => migration.name);
  } finally {
    // A connection that ended has no lock, and its error is the one to show.
    await holder.query('select pg_advisory_unlock($1)', [migrationLock]).catch(() => undefined);
    await holder.release();
    await migrating.destroy();
  }
}

export interface Relation {
  name: string;
  isInsertOnly: boolean;
  isSequence: boolean;
}

const own = `relnamespace = current_schema()::regnamespace and pg_get_userbyid(relowner) = current_user`;

function rightsOn({ name, isInsertOnly, isSequence }: Relation): string {
  if (isSequence) return `usage on sequence ${name}`;
  return `${isInsertOnly ? 'select, insert' : 'select, insert, update, delete'} on table ${name}`;
}

/** Statements that grant a role its rights. PostgreSQL has quoted the names, which stand in the text because these statements take no parameters. */
const rightsSql = {
  relations: `
  select quote_ident(relname) as name, relname = any($1) as "isInsertOnly", relkind = 'S' as "isSequence"
    from pg_class where ${own} and relkind in ('r', 'p', 'S') order by relname`,
  places: 'select quote_ident(current_database()) as database, quote_ident(current_schema()) as schema, quote_ident($1) as role',

  connect: (database: string, role: string) => `grant connect on database ${database} to ${role}`,
  useSchema: (schema: string, role: string) => `grant usage on schema ${schema} to ${role}`,
  findRole: 'select quote_ident(rolname) as role from pg_roles where rolname = $1 and rolname <> current_user',
  readColumns: ({ table, columns }: ReadColumns, role: string) =>
    `grant select (${columns.join(', ')}) on table ${table} to ${role}`,
  useRelation: (relation: Relation, role: string) => `grant ${rightsOn(relation)} to ${role}`,
} as const;

/** Names are constants of the code. */
interface ReadColumns {
  table: string;
  columns: readonly string[];
}

/** The role of another service, and the columns that it may read. */
export interface ReaderRights {
  role: string;
  reads: readonly ReadColumns[];
}

export interface ServiceRights {
  /** The database role that the service logs in as; it owns nothing. */
  role: string;
  /** Tables whose rows it may add and read, and never change or remove. */
  insertOnly: readonly string[];
}

/**
 * Gives a role rights on the rows of every table of the owner that `owner` is connected as, and on nothing else; says the same after the
 * second time as after the first. @throws QueryFailedError when there is no such role
 */
export async function grantRights(owner: DataSource, { role, insertOnly }: ServiceRights): Promise<void> {
  const [to] = await owner.query<[{ database: string; schema: string; role: string }]>(rightsSql.places, [role]);
  const relations = await owner.query<Relation[]>(rightsSql.relations, [insertOnly]);
  const grants = [
    rightsSql.connect(to.database, to.role),
    rightsSql.useSchema(to.schema, to.role),
    ...relations.map(relation => rightsSql.useRelation(relation, to.role)),
  ];
  await owner.transaction(async manager => void (await manager.query(grants.join(';\n'))));
}

/** Lets another service read some columns, where its role is on this server: elsewhere all services log in as one role. */
export async function grantReading(owner: DataSource, { role, reads }: ReaderRights): Promise<void> {
  const [found] = await owner.query<{ role: string }[]>(rightsSql.findRole, [role]);
  if (!found) return;
  const [at] = await owner.query<[{ database: string; schema: string }]>(rightsSql.places, [role]);
  const grants = [
    rightsSql.connect(at.database, found.role),
    rightsSql.useSchema(at.schema, found.role),
    ...reads.map(each => rightsSql.readColumns(each, found.role)),
  ];
  await owner.transaction(async manager => void (await manager.query(grants.join(';\n'))));
}

/** A change of a schema. It only goes forward: whoever rolls back runs the older release on the newer schema, so nothing would ever run, or prove, a way back. */
export abstract class ForwardMigration implements MigrationInterface {
  abstract readonly name: string;

  abstract up(runner: QueryRunner): Promise<void>;

  /** TypeORM asks for it. @throws Error always */
  async down(): Promise<never> {
    throw new Error(`${this.name} cannot be undone: migrations only go forward, and an older release runs on the newer schema`);
  }
}

const historySql = `select count(*)::int as applied, coalesce(bool_or(name = $1), false) as "isComplete" from migrations`;

/**
 * Makes the whole schema of an empty database. The migrations that stood here before the first release made the same schema: where all of
 * them ran, this one changes nothing. Their rows stay, so that the commit before this one can be started again.
 */
export abstract class FirstMigration extends ForwardMigration {
  /** The last of the migrations that stood here before. */
  protected abstract readonly replaces: string;
  /** SQL, in order of execution. */
  protected abstract readonly statements: readonly string[];

  /** @throws Error when the migrations of before made a part of the schema only */
  override async up(runner: QueryRunner): Promise<void> {
    const [{ applied, isComplete }] = (await runner.query(historySql, [this.replaces])) as [
      { applied: number; isComplete: boolean },
    ];
    if (isComplete) return;
    if (applied > 0)
      throw new Error(
        `the database lacks the migration ${this.replaces}: start the last commit before ${this.name} on it once, then this one`,
      );
    for (const statement of this.statements) await runner.query(statement);
  }
}
