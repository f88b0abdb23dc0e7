import { randomBytes } from 'node:crypto';
import type { TopicDefinition } from '@paycode/dto';
import { createTestDatabase, type TestDatabase } from '@paycode/persistence/testing';
import { eventually } from '@paycode/service-runtime/testing';
import { Client } from 'pg';
import type { EventBatch } from '../event-transport';
import { eventOf } from '../testing/collector';
import { quietLog } from '../testing/transport-harness';
import { logLoginOf, prepareLog } from './log-owner';
import { PostgresEventTransport } from './postgres-event-transport';

// Roles belong to the whole server, which other suites use too.
const suffix = randomBytes(4).toString('hex');
const [till, book, portal] = [`till-${suffix}`, `book-${suffix}`, `portal-${suffix}`];
const owner = `log_owner_${suffix}`;
const password = randomBytes(16).toString('hex');
const [sold, booked] = ['paycode.test.sold.v1', 'paycode.test.booked.v1'];

const topic = (name: string, by: string, consumers: TopicDefinition['consumers']): TopicDefinition => ({
  name,
  partitions: 2,
  retentionMs: 60_000,
  cleanupPolicy: 'delete',
  producers: [by],
  consumers,
});
const catalog = [
  topic(sold, till, [
    { group: 'book', service: book, isPerCell: true },
    { group: 'portal', service: portal },
  ]),
  topic(booked, book, [{ group: 'portal-booked', service: portal }]),
];

async function dropRoles(roles: readonly string[]): Promise<void> {
  const client = new Client({ connectionString: process.env['PAYCODE_TEST_DATABASE_URL'] });
  await client.connect();
  try {
    for (const role of roles) await client.query(`drop role ${role}`);
  } finally {
    await client.end();
  }
}

/** proves: T-18, T-19, T-57 */
describe('the event log in PostgreSQL, with a login for each service', () => {
  let database: TestDatabase;
  const opened: PostgresEventTransport[] = [];
  const urlOf = (role: string) => {
    const url = new URL(database.url);
    [url.username, url.password] = [role, password];
    return url.href;
  };
  const open = async (
    service: string,
    { topics = catalog, ...options }: { ownerUrl?: string; topics?: TopicDefinition[]; cell?: string } = {},
  ) => {
    const of = { url: urlOf(logLoginOf(service)), applicationName: service, log: quietLog };
    const transport = await PostgresEventTransport.open({ ...of, topics, ...options });
    opened.push(transport);
    return transport;
  };
  const event = (name: string, key: string, source: string) => ({ ...eventOf(name, key, 1), source });

  beforeAll(async () => {
    database = await createTestDatabase();
    for (const role of [owner, ...[till, book, portal].map(logLoginOf)])
      await database.dataSource.query(`create role ${role} login password '${password}'`);
    const name = new URL(database.url).pathname.slice(1);
    await database.dataSource.query(`alter database ${name} owner to ${owner}`);
    await database.dataSource.query(`revoke all on database ${name} from public`);
    // The others start before the owner, and wait for it.
    await Promise.all([open(till), open(portal), open(book, { ownerUrl: urlOf(owner) })]);
  });
  afterAll(async () => {
    await Promise.all(opened.map(transport => transport.close()));
    const roles = [...[till, book, portal].map(logLoginOf), owner];
    for (const role of roles) await database.dataSource.query(`drop owned by ${role} cascade`);
    await database.drop();
    await dropRoles(roles);
  });

  /** `done`, with the number of rows, or the SQLSTATE. */
  async function outcomeAs(service: string, sql: string): Promise<string> {
    const client = new Client({ connectionString: urlOf(logLoginOf(service)) });
    await client.connect();
    try {
      return await client.query(sql).then(
        ({ rowCount }) => `done ${rowCount}`,
        (error: { code?: string }) => error.code ?? 'no code',
      );
    } finally {
      await client.end();
    }
  }
  const segment = (name: string, source: string) => `
    insert into event_segment (topic_id, first_position, records, bytes, published_at, ce_type, ce_source, headers, payloads)
    select id, 1000 + (random() * 1e9)::int, 1, 20, clock_timestamp(), 'Sold', '${source}', '[[0,"k","i","t"]]', '{}' from event_topic where name = '${name}'`;
  const refused = '42501';

  it('serves every service: events reach their consumers, and what a group rejects is parked', async () => {
    const [a, b, c] = await Promise.all([open(till), open(book), open(portal)]);
    const seen: string[] = [];
    const subscription = (name: string, group: string) => ({
      topic: name,
      group,
      onBatch: async (batch: EventBatch) => {
        for (const each of batch.events) {
          if (each.key === 'bad') batch.reject(each, 'bad');
          else seen.push(`${group} ${each.key}`);
        }
      },
    });
    await b.subscribe(subscription(sold, 'book'));
    await c.subscribe(subscription(sold, 'portal'));
    await c.subscribe(subscription(booked, 'portal-booked'));
    await a.publish([event(sold, 'one', till), event(sold, 'bad', till)]);
    await b.publish([event(booked, 'one', book)]);
    await eventually(() => expect(seen.toSorted()).toEqual(['book one', 'portal one', 'portal-booked one']));
    await eventually(async () => {
      const parked = await database.dataSource.query<{ topic: string }[]>(
        `select topic from event_records() where dlq_reason is not null order by topic`,
      );
      expect(parked.map(row => row.topic)).toEqual([`${sold}.book.dlq`, `${sold}.portal.dlq`]);
    });
  });

  it('a cell reads by a group of its own, and publishes as itself, with the login of its service (P-1.12)', async () => {
    const [a, cell] = await Promise.all([open(till), open(book, { cell: 'b' })]);
    const seen: string[] = [];
    const onBatch = async ({ events }: EventBatch) => void seen.push(...events.map(({ key }) => key));
    await cell.subscribe({ topic: sold, group: 'book', onBatch });
    await a.publish([event(sold, 'of-cell', till)]);
    await cell.publish([event(booked, 'of-cell', `${book}@b`)]);
    await eventually(() => expect(seen).toContain('of-cell'));
    await eventually(async () => expect(Math.max(...(await cell.committed(sold, 'book')).map(Number))).toBeGreaterThan(0));
    const groups = `select 1 from event_group where group_name = 'book@b'`;
    expect(await database.dataSource.query(groups)).toHaveLength(1);
  });

  it.each([
    ['its position', `update event_topic set next_position = next_position + 1 where name = '${booked}'`],
    ['a record, under the own name', segment(booked, portal)],
    ['a record, under the name of its producer', segment(booked, book)],
    ['a record of a topic that it reads', segment(sold, till)],
    ['a dead letter of another group', segment(`${sold}.book.dlq`, till)],
  ])('regression: refuses a service that is no producer of a topic: %s (T-18)', async (_what, statement) => {
    expect(await outcomeAs(portal, statement)).toBe(refused);
  });

  it('refuses a producer that writes under the name of another', async () => {
    expect(await outcomeAs(till, segment(sold, book))).toBe(refused);
    expect(await outcomeAs(till, segment(sold, till))).toBe('done 1');
  });

  it.each([
    ['moves the offset of a group of another', `update event_group set positions = '{0,0}' where group_name = 'book'`],
    ['takes its partitions', `update event_group set owners = '{7,7}', epochs = '{9,9}' where group_name = 'book'`],
    [
      'makes a group for another',
      `insert into event_group select topic_id, 'book-2', owners, epochs, positions from event_group limit 1`,
    ],
    [
      'joins a group of another',
      `insert into event_member select 7, topic_id, 'book', clock_timestamp() from event_group limit 1`,
    ],
    ['moves a group to another topic', `update event_group set topic_id = 99 where group_name = 'portal'`],
    ['empties the log', 'truncate event_segment'],
    ['changes what was published', `update event_segment set payloads = '{}'`],
    ['makes a topic', `insert into event_topic (name, partitions) values ('mine', 1)`],
    ['takes the rules away', 'alter table event_segment disable row level security'],
    ['adds a rule', `create policy mine on event_segment for insert with check (true)`],
    [
      'adds a trigger',
      `create trigger mine before insert on event_segment execute function suppress_redundant_updates_trigger()`,
    ],
    ['becomes the owner', `set role ${owner}`],
    ['becomes another service', `set session authorization ${logLoginOf(book)}`],
    ['makes a table', 'create table mine (id int)'],
  ])('refuses a service that %s', async (_what, statement) => {
    expect(await outcomeAs(portal, statement)).toBe(refused);
  });

  const group = (name: string) => `
    insert into event_group select topic_id, '${name}', owners, epochs, positions from event_group order by group_name limit 1`;
  it.each<[string, string, string]>([
    ['a group of a cell of another', portal, group('book@c')],
    ['offsets of a cell of another', portal, `update event_group set positions = '{9,9}' where group_name = 'book@b'`],
    [
      'a member of a cell of another',
      portal,
      `insert into event_member select 7, id, 'book@b', clock_timestamp() from event_topic`,
    ],
    ['the name of a cell of another', till, segment(sold, `${book}@b`)],
    ['the name of a cell, where the service has none', till, segment(sold, `${till}@b`)],
    ['the group of a cell, where the service has none', portal, group('portal@b')],
    ...['x', '@', '@B!', '@b!', '@b@c', `@${'b'.repeat(32)}`, '@b\n'].flatMap(wrong => [
      [`a group ending in ${JSON.stringify(wrong)}`, book, group(`book${wrong}`)] as [string, string, string],
      [`a source ending in ${JSON.stringify(wrong)}`, book, segment(booked, `${book}${wrong}`)] as [string, string, string],
    ]),
    ['a group that only begins like it', book, group('a-book@b')],
  ])('refuses a service that takes %s (P-1.12, T-18)', async (_what, service, statement) => {
    expect(await outcomeAs(service, statement)).toBe(refused);
  });

  it('shows and lets a service delete nothing of topics that are not its own', async () => {
    await database.dataSource.query(segment(`${sold}.book.dlq`, till));
    expect(await outcomeAs(portal, `select 1 from event_records() where topic = '${sold}.book.dlq'`)).toBe('done 0');
    expect(
      await outcomeAs(
        portal,
        `delete from event_segment s using event_topic t where t.id = s.topic_id and name not like '%.portal%'`,
      ),
    ).toBe('done 0');
    expect(await outcomeAs(portal, `delete from event_member where group_name = 'book'`)).toBe('done 0');
    expect(await outcomeAs(portal, `update event_member set heartbeat_at = '-infinity' where group_name = 'book'`)).toBe(
      'done 0',
    );
  });

  it('a later release grants what its topics need, and nothing is granted twice', async () => {
    const rights = `select obj_description('event_topic'::regclass) as rights, (select count(*) from pg_policies) as policies`;
    const before = await database.dataSource.query<object[]>(rights);
    await open(book, { ownerUrl: urlOf(owner) });
    expect(await database.dataSource.query(rights)).toEqual(before);
    const returned = 'paycode.test.returned.v1';
    const topics = [...catalog, topic(returned, till, [{ group: 'book-returned', service: book }])];
    await open(book, { ownerUrl: urlOf(owner), topics });
    const transport = await open(till, { topics });
    await transport.publish([event(returned, 'one', till)]);
    expect(await outcomeAs(portal, segment(returned, till))).toBe(refused);
  });
});

describe('a log whose owner never comes', () => {
  it('is an error that names the setting', async () => {
    const database = await createTestDatabase();
    const login = `paycode_early_${suffix}`;
    try {
      await database.dataSource.query(`create role ${login} login password '${password}'`);
      const url = new URL(database.url);
      [url.username, url.password] = [login, password];
      const early = prepareLog({ url: url.href, applicationName: 'early', topics: catalog, waitMs: 300 });
      await expect(early).rejects.toThrow('EVENTS_OWNER_DATABASE_URL');
    } finally {
      await database.drop();
      await dropRoles([login]);
    }
  });
});
