import { randomBytes } from 'node:crypto';
import { ApiPasswordHasher, generateApiPassword, KeyRing } from '@paycode/crypto';
import { register } from 'prom-client';
import { AccountStore } from '../accounts/account.store';
import { LoginClient } from '../testing/login-client';
import { basic, type CreatedAccount, outcomeOf, TestAuthSession } from '../testing/test-service';

const peppers = `p1:${randomBytes(32).toString('base64')}`;
let service: TestAuthSession;
let account: CreatedAccount;
beforeAll(async () => {
  // The logger calls `process.stdout.write` only if that is mocked when the logger is created. Without this the tests below see no lines.
  jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  const guessesMax = { ofIdentityFromAddress: 3, ofAddress: 8 };
  service = await TestAuthSession.start({ PASSWORD_PEPPERS: peppers, LOG_LEVEL: 'error' }, 2, { guessesMax });
  account = await service.create({ type: 'PSP', id: 1 });
  jest.restoreAllMocks();
});
afterAll(() => service.stop());
let days = 0;
// The clock stands still, one day after the previous test.
beforeEach(() => service.clock.set(Date.now() + days++ * 86_400_000));
let errorLines: string[];
beforeEach(() => {
  errorLines = [];
  jest.spyOn(process.stdout, 'write').mockImplementation(line => errorLines.push(String(line)) > 0);
});
afterEach(() => jest.restoreAllMocks());

const setHash = (hash: string) =>
  service.database.dataSource.query('update account set password_hash = $2 where username = $1', [account.username, hash]);

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

describe('guessing (T-05)', () => {
  it('slows down: a few free tries, then a wait that doubles, with 429 and Retry-After', async () => {
    expect(await guesses(5)).toEqual([wrong, wrong, wrong, wrong, '429 Too Many Requests 1']);
    service.clock.advance(1_000);
    expect(await guesses(2)).toEqual([wrong, '429 Too Many Requests 2']);
    service.clock.advance(2_000);
    expect(await guesses(2)).toEqual([wrong, '429 Too Many Requests 4']);
    // The wait lasts to its last millisecond, long after the replica has forgotten it.
    service.clock.advance(3_999);
    expect(await guess()).toBe('429 Too Many Requests 1');
    service.clock.advance(1);
    expect(await guess()).toBe(wrong);
  });

  it('right passwords pass, whatever their address did before; only wrong ones wait (T-05)', async () => {
    for (let i = 0; i < 12; i++) await guess({ username: `psp-${100 + i}` });
    await guesses(6);
    expect(await guess()).toMatch(/^429/);
    expect(await guess({ password: generateApiPassword() })).toMatch(/^429/);
    for (const replica of [0, 1]) expect(await guess({ password: account.apiPassword, replica })).toBe('allowed');
    // A right password does not allow further wrong ones either.
    expect(await guess()).toMatch(/^429/);
  });

  it.each([
    ['of the form we generate', generateApiPassword],
    ['of any other form', (i: number) => `wrong-${i}`],
  ])('of 300 concurrent wrong passwords %s, over two replicas, only the free tries are answered (T-05)', async (_, make) => {
    const all = Array.from({ length: 300 }, (__, i) => guess({ password: make(i), replica: i % 2 }));
    const right = guess({ password: account.apiPassword, replica: 1 });
    const outcomes = await Promise.all(all);
    expect(outcomes.filter(outcome => outcome === wrong)).toHaveLength(4);
    expect(outcomes.filter(outcome => outcome === '429 Too Many Requests 1')).toHaveLength(296);
    expect(await right).toBe('allowed');
  });

  it('a password that cannot be a generated one is counted before it is compared (T-05)', async () => {
    const looked = jest.spyOn(ApiPasswordHasher.prototype, 'verify');
    await Promise.all(Array.from({ length: 100 }, (_, i) => guess({ password: `wrong-${i}`, replica: i % 2 })));
    expect(looked.mock.calls.filter(([password]) => password.startsWith('wrong-'))).toHaveLength(4);
  });

  it('a right password that is not of the generated form takes its count back (T-05)', async () => {
    const [{ password_hash: before }] = await service.database.dataSource.query<[{ password_hash: string }]>(
      'select password_hash from account where username = $1',
      [account.username],
    );
    await setHash(new ApiPasswordHasher(KeyRing.parse(peppers)).hash('chosen by a person'));
    for (let i = 0; i < 6; i++) expect(await guess({ password: 'chosen by a person' })).toBe('allowed');
    await setHash(before);
    expect(await guesses(5)).toEqual([wrong, wrong, wrong, wrong, '429 Too Many Requests 1']);
  });

  it('credentials that cannot be read get the very answer of a wrong password, and count against their address (T-05, R-5.1-2)', async () => {
    const lines = [
      ...['psp-1\0:x', 'psp-1:\u0007', 'psp\n-1:x', '\u0085:x', ':x', 'psp-1:', 'no colon'].map(text => Buffer.from(text)),
      Buffer.from([0xff, 0x3a, 0xfe]),
      Buffer.from([0xed, 0xa0, 0x80, 0x3a, 0x78]), // a lone surrogate, as UTF-8 would have it
    ].map(bytes => `Basic ${bytes.toString('base64')}`);
    const ask = (line: string) => service.authorize({ authorization: [line], address: attacker });
    const untimed = (answer: object) => JSON.stringify(answer).replace(/timestamp[^,]*,/, '');
    const answers = [];
    for (const line of lines) answers.push(untimed(await ask(line)));
    service.clock.advance(3_600_000);
    answers.push(untimed(await ask(basic(account.username, 'wrong'))));
    expect(new Set(answers).size).toBe(1);
    for (let i = 0; i < 9; i++) await ask(lines[0]!);
    expect(outcomeOf(await ask(lines[0]!))).toMatch(/^429/);
    expect(await guess({ password: account.apiPassword })).toBe('allowed');
  });

  it('a failure between the count and the verdict counts as a wrong guess (T-05)', async () => {
    const find = jest.spyOn(AccountStore.prototype, 'findByUsername').mockRejectedValue(new Error('a bug'));
    const statuses = [];
    for (let i = 0; i < 6; i++) {
      const asked = guess({ password: generateApiPassword() }).catch((error: Error) => error.message);
      statuses.push(await asked);
    }
    find.mockRestore();
    const failed = 'authorize answered 500';
    expect(statuses).toEqual([failed, failed, failed, failed, '429 Too Many Requests 1', '429 Too Many Requests 1']);
  });

  it('the log records the start of each wait once, with the account if it is known (T-05)', async () => {
    const address = '198.51.100.67';
    await guesses(4, { address });
    for (let i = 0; i < 4; i++) await guess({ username: `psp-${100 + i}`, address });
    // This replica has not seen that the account waits: the database refuses the account's try and counts the address's, its ninth.
    expect(await guess({ address, replica: 1 })).toBe('429 Too Many Requests 1');
    await guesses(3, { address });
    const events = await service.database.dataSource.query(
      `select subject, detail from security_event where kind = 'GUESSING_DELAYED' and address = $1 order by subject nulls last`,
      [address],
    );
    expect(events).toEqual([
      { subject: account.username, detail: 'basic' },
      { subject: null, detail: 'basic' },
    ]);
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

  it('counts Basic and login together; challenges have their own limit', async () => {
    const client = new LoginClient(service);
    const bearer = await client.bearerAccount({ type: 'PSP', id: 7 }, false);
    await guesses(3, { username: bearer.username, address: '127.0.0.1' });
    const login = (password: string) => client.login({ identity: bearer.username, password });
    expect((await login('wrong')).status).toBe(401);
    const refused = await login('wrong');
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '1']);
    expect((await login(bearer.password)).status).toBe(200);
    expect((await client.challenge(bearer.username)).status).toBe(200);
  });

  it('is forgotten after a quiet quarter of an hour', async () => {
    await guesses(4);
    service.clock.advance(15 * 60_000 + 1);
    expect(await guesses(3)).toEqual([wrong, wrong, wrong]);
  });

  it('100 failures of one account alert an operator, also when its owner logs in between them, and never lock it (T-05)', async () => {
    for (let i = 0; i < 100; i++) {
      await guess({ address: `198.51.${i}.1` });
      if (i % 10 === 0) expect(await guess({ password: account.apiPassword, address: '203.0.113.10' })).toBe('allowed');
    }
    const events = await service.database.dataSource.query(
      `select kind, subject from security_event where kind = 'GUESSING_ALERT'`,
    );
    expect(events).toEqual([{ kind: 'GUESSING_ALERT', subject: account.username }]);
    expect(await register.getSingleMetricAsString('paycode_auth_session_guessing_alerts_total')).toContain(' 1');
    const alerts = errorLines.map(line => JSON.parse(line) as object);
    expect(alerts).toMatchObject([{ event: 'guessing-alert', username: account.username, address: '198.51.99.1', count: 100 }]);
    expect(await guess({ password: account.apiPassword, address: '203.0.113.10' })).toBe('allowed');
  });

  it('no identity, password or address can be read from the stored counts (T-17)', async () => {
    await guess({ username: 'marker-identity', password: 'marker-password' });
    const rows = await service.database.dataSource.query('select * from guess_count');
    expect(JSON.stringify(rows)).not.toMatch(/marker|198\.51/);
  });
});
