import { register } from 'prom-client';
import { LoginClient } from '../testing/login-client';
import { basic, type CreatedAccount, outcomeOf, TestAuthSession } from '../testing/test-service';

let service: TestAuthSession;
let account: CreatedAccount;
beforeAll(async () => {
  service = await TestAuthSession.start({ GUESSES_PER_IDENTITY_MAX: '3', GUESSES_PER_ADDRESS_MAX: '8' }, 2);
  account = await service.create({ type: 'PSP', id: 1 });
});
afterAll(() => service.stop());
beforeEach(async () => {
  service.clock.reset();
  service.clock.set(service.clock.nowMs());
  await service.database.dataSource.query('delete from guess_count');
});

const attacker = '198.51.100.66';
interface Guess {
  username?: string;
  password?: string;
  address?: string;
  replica?: number;
}
async function guess({ username = account.username, password = 'wrong', address = attacker, replica = 0 }: Guess = {}) {
  const answer = await service.authorize({ authorization: [basic(username, password)], address }, replica);
  return answer.allowed
    ? 'allowed'
    : outcomeOf(answer) + (answer.headers['retry-after'] ? ` ${answer.headers['retry-after']}` : '');
}
async function guesses(count: number, one: Guess = {}): Promise<string[]> {
  const outcomes = [];
  for (let i = 0; i < count; i++) outcomes.push(await guess(one));
  return outcomes;
}
const wrong = '401 Bad Credentials';

describe('T-05: guessing', () => {
  it('slows down: a few free tries, then a wait that doubles, with 429 and Retry-After', async () => {
    expect(await guesses(5)).toEqual([wrong, wrong, wrong, wrong, '429 Too Many Requests 1']);
    service.clock.advance(1_000);
    expect(await guesses(2)).toEqual([wrong, '429 Too Many Requests 2']);
    service.clock.advance(2_000);
    expect(await guesses(2)).toEqual([wrong, '429 Too Many Requests 4']);
  });

  it('during a wait even the right password is not tried, afterwards it is', async () => {
    await guesses(4);
    expect(await guess({ password: account.apiPassword })).toBe('429 Too Many Requests 1');
    service.clock.advance(1_000);
    expect(await guess({ password: account.apiPassword })).toBe('allowed');
    expect(await guesses(3)).toEqual([wrong, wrong, wrong]);
  });

  it('an outsider cannot lock the owner out: from another address the account works on', async () => {
    await guesses(6);
    expect(await guess({ password: account.apiPassword, address: '203.0.113.9' })).toBe('allowed');
  });

  it('is counted for all replicas together', async () => {
    await guesses(2, { replica: 0 });
    await guesses(2, { replica: 1 });
    expect(await guess({ replica: 0 })).toBe('429 Too Many Requests 1');
  });

  it('an address that tries many identities waits too, and so do unknown identities (T-06)', async () => {
    for (let i = 0; i < 9; i++) expect(await guess({ username: `psp-${100 + i}` })).toBe(wrong);
    expect(await guess({ username: 'psp-200' })).toBe('429 Too Many Requests 1');
    expect(await guess({ username: 'psp-200', address: '203.0.113.9' })).toBe(wrong);
  });

  it('counts Basic, login and challenges together, whichever replica and way they come', async () => {
    const client = new LoginClient(service);
    await guesses(3, { address: '127.0.0.1' });
    expect((await client.login({ identity: account.username, password: 'wrong' })).status).toBe(401);
    const login = await client.login({ identity: account.username, password: account.apiPassword });
    expect([login.status, login.headers['retry-after']]).toEqual([429, '1']);
    expect((await client.challenge(account.username)).status).toBe(429);
  });

  it('is forgotten after a quiet quarter of an hour', async () => {
    await guesses(4);
    service.clock.advance(15 * 60_000 + 1);
    expect(await guesses(3)).toEqual([wrong, wrong, wrong]);
  });

  it('at 100 failures in a row for one account, an operator is called: metric, security log; never a lock', async () => {
    for (let i = 0; i < 100; i++) await guess({ address: `198.51.${i}.1` });
    const events = await service.database.dataSource.query(
      `select kind, subject from security_event where kind = 'GUESSING_ALERT'`,
    );
    expect(events).toEqual([{ kind: 'GUESSING_ALERT', subject: account.username }]);
    expect(await register.getSingleMetricAsString('paycode_auth_guessing_alerts_total')).toContain(' 1');
    expect(await guess({ password: account.apiPassword, address: '203.0.113.10' })).toBe('allowed');
  });

  it('T-17: no identity, password or address can be read from what is kept', async () => {
    await guess({ username: 'canary-identity', password: 'canary-password' });
    const rows = await service.database.dataSource.query('select * from guess_count');
    expect(JSON.stringify(rows)).not.toMatch(/canary|198\.51/);
  });
});
