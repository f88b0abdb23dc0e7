import { setTimeout as pause } from 'node:timers/promises';
import { beforeCell, cellNameForm, deadLetterTopic, deadLetterTopics, type TopicDefinition } from '@paycode/dto';
import { openDataSource, runMigrations } from '@paycode/persistence';
import type { DataSource } from 'typeorm';
import { migrations } from './migrations';

export interface LogOwnerOptions {
  /** The login of the service. */
  url: string;
  /** Of the owner of the log, which migrates it and grants the logins of the services their rights. Absent: `url`, if it may. */
  ownerUrl?: string | null;
  applicationName: string;
  topics: readonly TopicDefinition[];
  /** How long a login that owns nothing waits for the owner, in milliseconds. Default: a minute. */
  waitMs?: number;
}

interface LoginRights {
  service: string;
  /** Topics of which the service is a producer; it appends under its own name only. */
  written: string[];
  /** Dead-letter topics of its groups; a parked record keeps the name of its producer. */
  parked: string[];
  /** All topics whose records it sees. */
  read: string[];
  groups: string[];
  /** Its cells have groups and a source each (P-1.12), with this one login. */
  isPerCell: boolean;
}

const waitMsDefault = 60_000;
const pollMs = 250;
const tables = ['event_topic', 'event_segment', 'event_group', 'event_member'] as const;

/** PostgreSQL has quoted the names of roles. Policies take no parameters: names and ids stand in the text, and all are constants of the catalog. */
const sql = {
  state: `
  select has_schema_privilege(current_schema(), 'create') as "mayMigrate",
         coalesce(has_table_privilege(to_regclass('migrations'), 'select'), false) as "isGranted"`,
  createTopics:
    'insert into event_topic (name, partitions) select * from unnest($1::text[], $2::int[]) order by 1 on conflict (name) do nothing',
  topicIds: 'select id, name from event_topic where name = any($1)',
  logins:
    'select rolname as name, quote_ident(rolname) as quoted from pg_roles where rolname = any($1) and rolname <> current_user',
  granted: `select obj_description('event_topic'::regclass) as rights`,
  remember: (rights: string) => `comment on table event_topic is '${rights}'`,
  digest: 'select md5($1) as digest',

  protect: `
  set local lock_timeout = '10s';
  lock table ${tables.join(', ')} in access exclusive mode;
  ${tables.map(table => `alter table ${table} enable row level security`).join('; ')}`,
  grant: (login: string) => `
  do $$ begin execute format('grant connect on database %I to ${login}', current_database()); end $$;
  revoke all on all tables in schema public from ${login};
  grant select on migrations, ${tables.join(', ')} to ${login};
  grant update (next_position) on event_topic to ${login};
  grant insert, delete on event_segment to ${login};
  grant insert, update (owners, epochs, positions, ended) on event_group to ${login};
  grant insert, update (heartbeat_at), delete on event_member to ${login}`,
  policy: ({ name, table, command, login, rule }: Policy) => `
  drop policy if exists ${name} on ${table};
  create policy ${name} on ${table} for ${command} to ${login} ${rule}`,
} as const;

interface Policy {
  name: string;
  table: (typeof tables)[number];
  command: 'select' | 'insert' | 'update' | 'delete';
  login: string;
  rule: string;
}

/** The role as which a service logs in to the log, on every server whose roles the platform makes. */
export function logLoginOf(service: string): string {
  return `paycode_${service.replaceAll('-', '_')}`;
}

/** Resolves when the log is migrated and the login of this service has its rights. Rejects when it has not within `waitMs`. */
export async function prepareLog(options: LogOwnerOptions): Promise<void> {
  const { url, ownerUrl, topics, applicationName, waitMs = waitMsDefault } = options;
  if (ownerUrl) return onLog(ownerUrl, applicationName, owner => migrateAndGrant(owner, topics));
  for (let waitedMs = 0; !(await isReady(url, applicationName)); waitedMs += pollMs) {
    if (waitedMs >= waitMs)
      throw new Error(
        'the event log is not migrated, or this login has no rights in it: its owner migrates it and grants them (EVENTS_OWNER_DATABASE_URL of reversal-scheduler)',
      );
    await pause(pollMs);
  }
}

/** Migrates the log if this login may. False: that is left to the owner. */
async function isReady(url: string, applicationName: string): Promise<boolean> {
  try {
    return await onLog(url, applicationName, async dataSource => {
      const [{ mayMigrate, isGranted }] = await dataSource.query<[{ mayMigrate: boolean; isGranted: boolean }]>(sql.state);
      if (mayMigrate) await runMigrations(dataSource);
      return mayMigrate || (isGranted && !(await dataSource.showMigrations()));
    });
  } catch (error) {
    // Insufficient privilege: the owner has not granted this login the right to connect yet.
    if ((error as { code?: string }).code === '42501') return false;
    throw error;
  }
}

async function onLog<T>(url: string, applicationName: string, work: (dataSource: DataSource) => Promise<T>): Promise<T> {
  const dataSource = await openDataSource({ url, applicationName, migrations, poolMax: 2 });
  try {
    return await work(dataSource);
  } finally {
    await dataSource.destroy();
  }
}

/**
 * Each login appends to the topics that its service produces, under the service's name, and to the dead-letter topics of its groups; it reads what
 * its service produces or consumes, and moves the offsets of its own groups. So one service that is taken over forges no event of another (T-18).
 */
async function migrateAndGrant(owner: DataSource, catalog: readonly TopicDefinition[]): Promise<void> {
  await runMigrations(owner);
  const topics = [...catalog, ...deadLetterTopics(catalog)];
  const names = topics.map(({ name }) => name);
  await owner.query(sql.createTopics, [names, topics.map(({ partitions }) => partitions)]);
  const idsOf = await owner.query<{ id: number; name: string }[]>(sql.topicIds, [names]);
  const ids = new Map(idsOf.map(({ id, name }) => [name, id]));
  const services = [
    ...new Set(catalog.flatMap(({ producers, consumers }) => [...producers, ...consumers.map(({ service }) => service)])),
  ];
  const logins = await owner.query<{ name: string; quoted: string }[]>(sql.logins, [services.map(logLoginOf)]);
  const statements = logins.flatMap(({ name, quoted }) => {
    const service = services.find(each => logLoginOf(each) === name)!;
    return [sql.grant(quoted), ...policiesOf(rightsOf(service, catalog), { login: quoted, ids }).map(sql.policy)];
  });
  if (statements.length > 0) await grantOnce(owner, [sql.protect, ...statements].join(';\n'));
}

/** Rights that stand already are not granted again: that would wait for every publisher, and make each wait. */
async function grantOnce(owner: DataSource, statements: string): Promise<void> {
  const [{ digest }] = await owner.query<[{ digest: string }]>(sql.digest, [statements]);
  const [{ rights }] = await owner.query<[{ rights: string | null }]>(sql.granted);
  if (rights === digest) return;
  await owner.transaction(async manager => void (await manager.query(`${statements};\n${sql.remember(digest)}`)));
}

function rightsOf(service: string, catalog: readonly TopicDefinition[]): LoginRights {
  const consumed = catalog.flatMap(({ name, consumers }) =>
    consumers.filter(consumer => consumer.service === service).map(({ group, isPerCell }) => ({ name, group, isPerCell })),
  );
  const written = catalog.filter(({ producers }) => producers.includes(service)).map(({ name }) => name);
  const parked = consumed.map(({ name, group }) => deadLetterTopic(name, group));
  const read = [...new Set([...written, ...parked, ...consumed.map(({ name }) => name)])];
  const isPerCell = consumed.some(consumer => consumer.isPerCell);
  return { service, written, parked, read, groups: consumed.map(({ group }) => group), isPerCell };
}

function policiesOf(
  { service, written, parked, read, groups, isPerCell }: LoginRights,
  { login, ids }: { login: string; ids: ReadonlyMap<string, number> },
): Policy[] {
  const isOneOf = (topics: readonly string[], column = 'topic_id') =>
    topics.length > 0 ? `${column} in (${topics.map(topic => ids.get(topic)).join(', ')})` : 'false';
  const isNamed = (column: string, names: readonly string[]) =>
    `(${column} = any('{${names.join()}}')${isPerCell ? ` or ${column} ~ '${ofCells(names)}'` : ''})`;
  const isOwnGroup = isNamed('group_name', groups);
  const own = [...written, ...parked];
  const policy = (table: Policy['table'], command: Policy['command'], rule: string): Policy => ({
    name: `${logLoginOf(service)}_${command}`,
    table,
    command,
    login,
    rule,
  });
  return [
    policy('event_topic', 'select', 'using (true)'),
    // A foreign topic is an error and not a row that is not found.
    policy('event_topic', 'update', `using (true) with check (${isOneOf(own, 'id')})`),
    policy('event_segment', 'select', `using (${isOneOf(read)})`),
    policy(
      'event_segment',
      'insert',
      `with check ((${isOneOf(written)} and ${isNamed('ce_source', [service])}) or ${isOneOf(parked)})`,
    ),
    // The janitor of each service deletes what its own topics no longer need.
    policy('event_segment', 'delete', `using (${isOneOf(own)})`),
    policy('event_group', 'select', 'using (true)'),
    policy('event_group', 'insert', `with check (${isOwnGroup})`),
    policy('event_group', 'update', `using (true) with check (${isOwnGroup})`),
    policy('event_member', 'select', 'using (true)'),
    policy('event_member', 'insert', `with check (${isOwnGroup})`),
    policy('event_member', 'update', `using (${isOwnGroup})`),
    policy('event_member', 'delete', `using (${isOwnGroup})`),
  ];
}

/** Pattern of the names that cells have for these: the sign of a cell and its name, and nothing else. */
function ofCells(names: readonly string[]): string {
  return `^(${names.map(beforeCell).join('|')})${cellNameForm.source.slice(1)}`;
}
