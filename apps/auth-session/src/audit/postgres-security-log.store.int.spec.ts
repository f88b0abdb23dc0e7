import { createTestDatabase, type TestDatabase } from '@paycode/persistence/testing';
import type { Logger } from '@paycode/service-runtime';
import { migrations } from '../../migrations';
import { TestClock } from '../testing/test-clock';
import type { SecurityEvent } from './security-log';
import { PostgresSecurityLogStore } from './postgres-security-log.store';

let database: TestDatabase;
beforeAll(async () => (database = await createTestDatabase({ migrations })));
afterAll(() => database.drop());

const used = (requestId: string): SecurityEvent => ({
  kind: 'BASIC_USED',
  subject: 'psp-1',
  origin: { actor: 'client', address: '198.51.100.1', requestId },
});

describe('security events in PostgreSQL', () => {
  it('an event that cannot be stored is reported as refused; those written with it are stored (T-29)', async () => {
    const refused: object[] = [];
    const logger = { error: (fields: object) => refused.push(fields) } as unknown as Logger;
    const log = new PostgresSecurityLogStore(database.dataSource, new TestClock(), logger);
    const requests = ['r-1', `r-2${String.fromCharCode(0)}`, 'r-3'];
    await log.recordAll(requests.map(requestId => ({ event: used(requestId), at: new Date(0) })));
    const rows = await database.dataSource.query('select request_id from security_event order by request_id');
    expect(rows).toEqual([{ request_id: 'r-1' }, { request_id: 'r-3' }]);
    expect(refused).toEqual([{ event: 'security-event-refused', reason: expect.any(String) }]);
  });
});
