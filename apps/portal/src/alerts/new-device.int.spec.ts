import { randomUUID } from 'node:crypto';
import type { PortalAlert } from '@paycode/dto';
import { secretHash } from '../people/secrets';
import { PortalVisitor } from '../testing/portal-visitor';
import { RunningPortal } from '../testing/running-portal';
import { AlertStore, DeviceStore } from './alert.store';

const password = 'a long enough sentence';
const windows = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:133.0) Gecko/20100101 Firefox/133.0';

/** proves: T-04, T-25 */
describe('a sign-in from a new device', () => {
  let portal: RunningPortal;
  beforeAll(async () => {
    portal = await RunningPortal.start();
  });
  afterAll(() => portal.stop());

  const person = async (tenantType = 'MERCHANT') => {
    const of = {
      tenantType,
      tenantId: tenantType === 'OPERATOR' ? '' : '1001',
      role: tenantType === 'OPERATOR' ? 'ON_CALL' : 'VIEWER',
    };
    const email = `${randomUUID()}@shop.example`;
    const headers = { ...portal.operatorHeaders(), 'content-type': 'application/json' };
    const body = JSON.stringify({ email, name: 'Thandi', ...of, password });
    const answer = await fetch(`${portal.internalUrl}/internal/people`, { method: 'POST', headers, body });
    return { email, personId: ((await answer.json()) as { personId: string }).personId };
  };
  const signIn = async (email: string, browser: PortalVisitor) =>
    expect((await browser.post('session', { email, password })).status).toBe(200);
  const mailsTo = async (personId: string) => {
    const sql = 'select kind, about, token_hash as hash from alert_mail where person_id = $1 order by created_at';
    return portal.database.dataSource.query<{ kind: string; about: PortalAlert; hash: Buffer }[]>(sql, [personId]);
  };

  it.each(['MERCHANT', 'OPERATOR'])(
    'is mailed to people of every account, %s, but for their very first one and for browsers that are known',
    async tenantType => {
      const { email, personId } = await person(tenantType);
      const own = new PortalVisitor(portal);
      await signIn(email, own);
      await own.delete('session');
      await signIn(email, own);
      expect(await mailsTo(personId)).toEqual([]);
      const other = new PortalVisitor(portal, '198.51.100.9', windows);
      await signIn(email, other);
      await signIn(email, other);
      const device = { browser: 'Firefox', system: 'Windows', addressStart: '198.51.100' };
      const about = { kind: 'NEW_DEVICE', merchantId: null, payments: 0, sums: [], device };
      expect(await mailsTo(personId)).toMatchObject([{ kind: 'NEW_DEVICE', about }]);
    },
  );

  it('is known for each person of a browser alone, and a wrong password makes no browser known', async () => {
    const [first, second] = [await person(), await person()];
    await signIn(second.email, new PortalVisitor(portal));
    const shared = new PortalVisitor(portal);
    await shared.post('session', { email: second.email, password: 'not the right sentence' });
    await signIn(first.email, shared);
    await signIn(second.email, shared);
    expect([(await mailsTo(first.personId)).length, (await mailsTo(second.personId)).length]).toEqual([0, 1]);
  });

  describe('by the clock', () => {
    const at = (minutes: number) => new Date(Date.parse('2030-01-01T14:00:00Z') + minutes * 60_000);
    const signedIn = (personId: string, minutes: number, device?: string) =>
      portal.service.app.get(DeviceStore).signedIn(personId, { address: '', userAgent: '', requestId: '', device }, at(minutes));

    it('is mailed ten times an hour at most, whatever other alerts there are; the latest twenty devices stay known', async () => {
      const { personId } = await person();
      const devices: string[] = [];
      for (let each = 0; each < 25; each++) devices.push(await signedIn(personId, each));
      expect(await mailsTo(personId)).toHaveLength(10);
      await signedIn(personId, 90, devices[5]);
      expect(await mailsTo(personId)).toHaveLength(10);
      await signedIn(personId, 91, devices[4]);
      expect(await mailsTo(personId)).toHaveLength(11);
    });

    it('cannot be switched off by the secret of its mail', async () => {
      const { personId } = await person();
      for (const minutes of [0, 1]) await signedIn(personId, minutes);
      const secret = 'x'.repeat(43);
      await portal.database.dataSource.query('update alert_mail set token_hash = $2 where person_id = $1', [
        personId,
        secretHash(secret),
      ]);
      expect(await portal.service.app.get(AlertStore).stop(secret)).toBe(false);
    });
  });
});
