import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Kafka, logLevel } from 'kafkajs';
import pg from 'pg';
import { serviceNames } from '../../../libs/access/src/service-token/token-keys.ts';
import { deadLetterTopics, topicCatalog } from '../../../libs/dto/src/events/events.ts';
import { ensureFile } from './secrets.ts';

/** Statements on databases and roles. Names and passwords are quoted and stand in the text, because these statements take no parameters. */
const sql = {
  findRole: 'select 1 from pg_roles where rolname = $1',
  setRole: ({ order, role, password }: { order: 'create' | 'alter'; role: string; password: string }) =>
    `${order} role ${role} login password ${password}`,
  findDatabase: 'select 1 from pg_database where datname = $1',
  createDatabase: (name: string, role: string) => `create database ${name} owner ${role}`,
} as const;

/** Services that own a database. */
export const owners = serviceNames.filter(name => name !== 'api-gateway');

/** A database and a role of its own per service; the service reads its URL from `<folder>/<service>.database-url`. Safe to repeat. */
export async function ensureDatabases(serverUrl: string, folder: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    for (const owner of owners) await ensureDatabase(client, databaseUrl(serverUrl, owner, folder));
    // The portal's migration grants this login what it may read there.
    const reader = databaseUrl(serverUrl, 'auth-session', folder);
    reader.pathname = databaseUrl(serverUrl, 'portal', folder).pathname;
    ensureFile(join(folder, 'auth-session.portal-database-url'), () => reader.href);
  } finally {
    await client.end();
  }
}

function databaseUrl(serverUrl: string, owner: string, folder: string): URL {
  const make = (): string => {
    const url = new URL(serverUrl);
    url.username = url.pathname = `paycode_${owner.replace('-', '_')}`;
    url.password = randomBytes(24).toString('base64url');
    return url.href;
  };
  return new URL(ensureFile(join(folder, `${owner}.database-url`), make));
}

async function ensureDatabase(client: pg.Client, url: URL): Promise<void> {
  const role = client.escapeIdentifier(url.username);
  const name = client.escapeIdentifier(url.pathname.slice(1));
  const found = await client.query(sql.findRole, [url.username]);
  const password = client.escapeLiteral(url.password);
  await client.query(sql.setRole({ order: found.rowCount ? 'alter' : 'create', role, password }));
  const exists = await client.query(sql.findDatabase, [url.pathname.slice(1)]);
  if (!exists.rowCount) await client.query(sql.createDatabase(name, role));
}

/** Makes the topics of docs/reference/topics.yaml that are missing. One broker: one replica. */
export async function ensureTopics(brokers: string[]): Promise<void> {
  const kafka = new Kafka({ clientId: 'paycode-setup', brokers, logLevel: logLevel.ERROR });
  const admin = kafka.admin();
  await admin.connect();
  try {
    const existing = new Set(await admin.listTopics());
    const topics = [...topicCatalog, ...deadLetterTopics(topicCatalog)].filter(({ name }) => !existing.has(name));
    if (topics.length > 0) await admin.createTopics({ waitForLeaders: true, topics: topics.map(topicRequest) });
  } finally {
    await admin.disconnect();
  }
}

function topicRequest({ name, partitions, retentionMs, cleanupPolicy }: ReturnType<typeof deadLetterTopics>[number]) {
  const configEntries = [
    { name: 'retention.ms', value: String(retentionMs) },
    { name: 'cleanup.policy', value: cleanupPolicy },
  ];
  return { topic: name, numPartitions: partitions, replicationFactor: 1, configEntries };
}
