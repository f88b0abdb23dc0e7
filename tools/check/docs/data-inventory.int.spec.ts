import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTestDatabase } from '@paycode/persistence/testing';
import { migrations as authSession } from '../../../apps/auth-session/migrations';
import { migrations as notificationConfig } from '../../../apps/notification-config/migrations';
import { migrations as paymentSimulator } from '../../../apps/payment-simulator/migrations';
import { migrations as portal } from '../../../apps/portal/migrations';
import { migrations as recipientMessages } from '../../../apps/recipient-messages/migrations';
import { migrations as reversalScheduler } from '../../../apps/reversal-scheduler/migrations';
import { migrations as webhookDispatcher } from '../../../apps/webhook-dispatcher/migrations';
import { migrations as events } from '../../../libs/events/src/postgres/migrations';

const databases = {
  'auth-session': authSession,
  'notification-config': notificationConfig,
  'webhook-dispatcher': webhookDispatcher,
  'reversal-scheduler': reversalScheduler,
  'recipient-messages': recipientMessages,
  'payment-simulator': paymentSimulator,
  portal,
  events,
};

const page = readFileSync(join(__dirname, '../../../docs/explanation/security.md'), 'utf8');
const row = /^\| `([\w-]+)` \| `(\w+)` \| (.+?) \| .+ \| (.+) \|$/gm;
const listed = [...page.matchAll(row)].map(([, database, table, classes, kept]) => ({ database, table, classes, kept }));

// Partitions belong to their table; what TypeORM notes about migrations is its own.
const tablesSql = `
  select relname as name from pg_class
   where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace and relname <> 'migrations'`;

describe('docs/explanation/security.md lists where data is stored (T-43)', () => {
  it.each(Object.entries(databases))('every table of %s is listed, and no other', async (database, migrations) => {
    const { dataSource, drop } = await createTestDatabase({ migrations });
    try {
      const rows = await dataSource.query<{ name: string }[]>(tablesSql);
      const tables = listed.filter(entry => entry.database === database).map(({ table }) => table);
      expect(tables.sort()).toEqual(rows.map(({ name }) => name).sort());
    } finally {
      await drop();
    }
  });

  it('no database is listed without migrations; each table has classes of the list', () => {
    expect(new Set(listed.map(({ database }) => database))).toEqual(new Set(Object.keys(databases)));
    const known = new Set([...page.matchAll(/^\| \*\*(\w+)\*\* \|/gm)].map(([, name]) => name));
    const unknown = listed.filter(({ classes }) => !classes!.split(', ').every(name => known.has(name)));
    expect([known.size, unknown]).toEqual([5, []]);
  });
});
