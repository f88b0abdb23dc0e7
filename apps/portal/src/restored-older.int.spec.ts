import { randomBytes, randomUUID } from 'node:crypto';
import { KeyRing, PayloadSealer } from '@paycode/crypto';
import { type AckReceived, eventTypes, serializeNotification, topics, type TransactionTerminal } from '@paycode/dto';
import { notificationOf } from '@paycode/dto/testing';
import { EventTransport } from '@paycode/events';
import { createTestDatabase, type TestDatabase } from '@paycode/persistence/testing';
import { eventually } from '@paycode/service-runtime/testing';
import { PortalVisitor } from './testing/portal-visitor';
import { RunningPortal } from './testing/running-portal';

const password = 'a long enough sentence';
const keys = { PAYLOAD_KEYS: ringOf(), KEY_ENCRYPTION_KEYS: ringOf() };
const at = '2030-01-01T10:00:00.000Z';

function ringOf(): string {
  return `k1:${randomBytes(32).toString('base64')}`;
}

/** The steps of docs/how-to/back-up-and-restore.md, The portal. */
describe('the database of the portal, restored to an earlier instant', () => {
  let lost: TestDatabase;
  let events: TestDatabase;
  let restored: TestDatabase;
  let portal: RunningPortal;
  const early = { email: `${randomUUID()}@shop.example`, cookie: '' };
  const late = { email: `${randomUUID()}@shop.example` };

  beforeAll(async () => {
    [lost, events] = [await createTestDatabase(), await createTestDatabase()];
    portal = await RunningPortal.startOn({ database: lost, events }, keys);
    await invite(early.email);
    const visitor = new PortalVisitor(portal);
    await visitor.post('session', { email: early.email, password });
    early.cookie = visitor.cookie;
    await paid(1);
    await portal.shutDown();
    restored = await createTestDatabase({ copyOf: lost });

    portal = await RunningPortal.startOn({ database: lost, events }, keys);
    await invite(late.email);
    await paid(2, 3);
    await acknowledged(1, 2);
    await portal.shutDown();

    await restored.dataSource.query('delete from portal_session');
    await events.dataSource.query(
      `update event_group set positions = array_fill(0::bigint, array[cardinality(positions)]) where group_name like 'portal%'`,
    );
    portal = await RunningPortal.startOn({ database: restored, events }, keys);
  });
  afterAll(async () => {
    await portal.shutDown();
    await Promise.all([lost, restored, events].map(database => database.drop()));
  });

  const invite = async (email: string) => {
    const body = { email, name: 'Thandi', tenantType: 'MERCHANT', tenantId: '1001', role: 'OWNER', password };
    const headers = { ...portal.operatorHeaders(), 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    expect((await fetch(`${portal.internalUrl}/internal/people`, init)).ok).toBe(true);
  };
  const publish = async (topic: string, published: readonly { transactionId: number }[]) => {
    const type = eventTypes[topic as keyof typeof eventTypes];
    await portal.service.app.get(EventTransport).publish(
      published.map(data => {
        const key = String(data.transactionId);
        return { topic, key, id: `${type}-${key}`, type, source: 'test', time: at, data };
      }),
    );
  };
  const rows = ({ dataSource }: TestDatabase) =>
    dataSource.query<Record<string, unknown>[]>('select * from payment order by transaction_id');
  const countWhere = async (condition: string) =>
    (await lost.dataSource.query<unknown[]>(`select from payment where ${condition}`)).length;

  async function paid(...transactionIds: number[]): Promise<void> {
    const sealer = new PayloadSealer(KeyRing.parse(keys.PAYLOAD_KEYS));
    const terminals = transactionIds.map((transactionId): TransactionTerminal => ({
      transactionId,
      merchantId: 1001,
      kind: 'PURCHASE',
      status: 'SUCCESS',
      txState: 'SUCCESS',
      referenceTransactionId: 0,
      completedAt: at,
      notification: sealer.seal(serializeNotification(notificationOf(transactionId))),
    }));
    await publish(topics.transactionTerminal, terminals);
    const ids = transactionIds.join();
    await eventually(async () =>
      expect(await countWhere(`transaction_id in (${ids}) and completed_at is not null`)).toBe(transactionIds.length),
    );
  }
  async function acknowledged(...transactionIds: number[]): Promise<void> {
    const acks = transactionIds.map((transactionId): AckReceived => ({
      transactionId,
      merchantId: 1001,
      source: 'WEBHOOK',
      attempt: 1,
      elapsedMs: 12,
      acknowledgedAt: at,
    }));
    await publish(topics.ackReceived, acks);
    await eventually(async () => expect(await countWhere('acknowledged_at is not null')).toBe(transactionIds.length));
  }

  it('has every payment again, as it was, each once, when its groups have read the log again', async () => {
    const before = await rows(lost);
    expect(before).toHaveLength(3);
    await eventually(async () => expect(await rows(restored)).toEqual(before));
  });

  it('knows the people of then with the passwords of then, and nobody who came later', async () => {
    expect((await new PortalVisitor(portal).post('session', { email: early.email, password })).status).toBe(200);
    expect((await new PortalVisitor(portal).post('session', { email: late.email, password })).status).toBe(401);
  });

  it('has no session of then, once they are deleted: one that was ended meanwhile would be open again (T-52)', async () => {
    const visitor = new PortalVisitor(portal);
    visitor.cookie = early.cookie;
    expect((await visitor.get('passkeys')).status).toBe(401);
  });
});
