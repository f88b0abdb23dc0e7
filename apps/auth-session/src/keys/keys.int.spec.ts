import { randomBytes } from 'node:crypto';
import { undoneAfterEach } from '@paycode/service-runtime/testing';
import jsonwebtoken from 'jsonwebtoken';
import { type BearerAccount, type ClientSession, LoginClient, tokenOf } from '../testing/login-client';
import { outcomeOf, TestAuthSession } from '../testing/test-service';

const service = TestAuthSession.ofSpec({}, 2);
const client = new LoginClient(service);
let account: BearerAccount;
beforeAll(async () => (account = await client.bearerAccount({ type: 'PSP', id: 1 }, false)));
const later = undoneAfterEach();

const kidOf = (session: ClientSession) => jsonwebtoken.decode(tokenOf(session), { complete: true })!.header.kid;
const use = async (session: ClientSession, replica = 0) =>
  outcomeOf(await service.authorize({ authorization: [session.headerValue] }, replica));
const rotate = () => service.operator('POST', '/internal/keys/rotate');
/** The lifetime of a token plus the time that a replica may lag behind. */
const untilNextMs = 15 * 60_000 + 10_000;

describe('signing keys', () => {
  it('regression: keys rotate by kid: two are valid at once, and a third only when no token needs the first (T-08)', async () => {
    const first = await client.passwordLogin(account);
    expect((await rotate()).status).toBe(200);
    const second = await client.passwordLogin(account);
    expect(kidOf(second)).not.toBe(kidOf(first));
    expect([await use(first), await use(second)]).toEqual(['allowed', 'allowed']);
    // The other replica has never seen the new key.
    expect([await use(first, 1), await use(second, 1)]).toEqual(['allowed', 'allowed']);
    const startedAtMs = service.clock.epochMs();
    const refused = await rotate();
    const { message } = refused.data as { message: string };
    const possibleAtMs = Date.parse(/until (\S+Z)/.exec(message)![1]!);
    expect([refused.status, possibleAtMs <= startedAtMs + untilNextMs]).toEqual([409, true]);
    expect([await use(first), await use(second)]).toEqual(['allowed', 'allowed']);
    service.clock.advance(possibleAtMs - service.clock.epochMs() - 60_000);
    const last = await client.passwordLogin(account);
    expect((await rotate()).status).toBe(409);
    service.clock.advance(60_000);
    expect((await rotate()).status).toBe(200);
    expect(await use(last)).toBe('allowed');
  });

  it('replacing removes all old keys at once, for a stolen key, and ends every session (T-08)', async () => {
    const session = await client.passwordLogin(account);
    expect((await service.operator('POST', '/internal/keys/replace')).status).toBe(200);
    expect(await use(session)).toBe('401 Invalid or expired JWT token');
    const { keys } = (await service.operator('GET', '/internal/jwks')).data as { keys: object[] };
    expect(keys).toHaveLength(1);
    expect(await use(await client.passwordLogin(account), 1)).toBe('allowed');
    // No token needs a key older than the signing key, so the next rotation may follow at once.
    expect((await rotate()).status).toBe(200);
  });

  it('publishes the public halves of the current and the previous identity key, and no secret', async () => {
    const before = (await service.operator('GET', '/internal/jwks')).data as { keys: { kid: string }[] };
    service.clock.advance(untilNextMs);
    expect((await rotate()).status).toBe(200);
    const { keys } = (await service.operator('GET', '/internal/jwks')).data as { keys: Record<string, string>[] };
    expect(keys.map(key => key['kid'])[1]).toBe(before.keys[0]!.kid);
    expect(keys.map(key => Object.keys(key).sort())).toEqual([
      ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'],
      ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'],
    ]);
  });

  it('the challenge key stays the same on every replica and through rotations', async () => {
    const key = async () => (await service.operator('GET', '/internal/service-public-key')).data as { publicKey: string };
    const before = await key();
    service.clock.advance(untilNextMs);
    expect((await rotate()).status).toBe(200);
    expect(await key()).toEqual(before);
    expect(Buffer.from(before.publicKey, 'base64')).toHaveLength(550); // X.509 of RSA-4096
  });

  it('are sealed at rest, so that the database alone cannot sign', async () => {
    const rows = await service.database.dataSource.query<{ sealed: string }[]>('select sealed from signing_key');
    for (const { sealed } of rows) {
      const header = JSON.parse(Buffer.from(sealed.split('.')[0]!, 'base64url').toString()) as object;
      expect(header).toMatchObject({ alg: 'dir', enc: 'A256GCM' });
    }
  });

  it('leave a retired key-encryption key at the next rotation, the challenge key too', async () => {
    const [oldKey, newKey] = ['old', 'new'].map(kid => `${kid}:${randomBytes(32).toString('base64')}`) as [string, string];
    const own = await TestAuthSession.start({ KEY_ENCRYPTION_KEYS: oldKey });
    later(() => own.stop());
    const before = (await own.operator('GET', '/internal/service-public-key')).data as object;
    await own.addReplica({ KEY_ENCRYPTION_KEYS: `${newKey},${oldKey}` });
    await own.operatorAt(1, 'POST', '/internal/keys/rotate');
    await own.addReplica({ KEY_ENCRYPTION_KEYS: newKey });
    expect((await own.operatorAt(2, 'GET', '/internal/service-public-key')).data).toEqual(before);
  });

  it('only operators rotate keys, and the log records it (T-27)', async () => {
    const anonymous = await fetch(`${service.url('internal')}/internal/keys/rotate`, { method: 'POST' });
    expect(anonymous.status).toBe(401);
    const events = await service.database.dataSource.query(
      `select actor, detail from security_event where kind = 'KEYS_ROTATED'`,
    );
    expect(events).toContainEqual({ actor: 'operator test-operator', detail: 'ACCESS IDENTITY' });
  });
});
