import { PostgresGuessStore } from '@paycode/access/guessing';
import { randomUUID } from 'node:crypto';
import { AccountStore } from './accounts/account.store';
import { SessionStore } from './sessions/session.store';
import { LoginClient, tokenOf } from './testing/login-client';
import { basic, type CreatedAccount, outcomeOf, TestAuthSession } from './testing/test-service';

const nul = String.fromCharCode(0);
const hostile = 50;
const valid = 50;

const service = TestAuthSession.ofSpec();
let account: CreatedAccount;
beforeAll(async () => (account = await service.create({ type: 'PSP', id: 1 })));

/** Starts the calls in turns, so that hostile and valid ones share their queries. */
async function mixed<T>(hostileCall: (n: number) => Promise<unknown>, validCall: (n: number) => Promise<T>) {
  const hostileCalls: Promise<unknown>[] = [];
  const validCalls: Promise<T>[] = [];
  for (let n = 0; n < Math.max(hostile, valid); n++) {
    if (n < hostile) hostileCalls.push(hostileCall(n));
    if (n < valid) validCalls.push(validCall(n));
  }
  const refused = await Promise.allSettled(hostileCalls);
  return { refused, answers: await Promise.all(validCalls) };
}

const states = (refused: PromiseSettledResult<unknown>[]) =>
  new Set(refused.map(result => (result.status === 'rejected' ? (result.reason as { code?: string }).code : 'answered')));

describe('hostile data in a shared read fails only its own request (T-29)', () => {
  it('accounts: a user name that PostgreSQL refuses', async () => {
    const store = new AccountStore(service.database.dataSource, service.clock);
    const { refused, answers } = await mixed(
      n => store.findByUsername(`a${nul}${n}`),
      () => store.findByUsername(account.username),
    );
    expect(states(refused)).toEqual(new Set(['22021']));
    expect(new Set(answers.map(found => found?.username))).toEqual(new Set([account.username]));
  });

  it('sessions: a session id that is no uuid', async () => {
    const client = new LoginClient(service);
    const session = await client.passwordLogin(await client.bearerAccount({ type: 'MERCHANT', id: 1001 }, false));
    const store = new SessionStore(service.database.dataSource);
    const { refused, answers } = await mixed(
      n => store.find(`${n}`),
      n => store.find(n % 2 === 0 ? session.sessionId : randomUUID()),
    );
    expect(states(refused)).toEqual(new Set(['22P02']));
    expect(answers.map(found => found?.session.id)).toEqual(answers.map((_, n) => (n % 2 === 0 ? session.sessionId : undefined)));
    expect(outcomeOf(await service.authorize({ authorization: [`Bearer ${tokenOf(session)}`] }))).toBe('allowed');
  });

  it('guess counters: a key that is not bytes', async () => {
    const store = new PostgresGuessStore(service.database.dataSource);
    const rule = { freeTries: 5, delayFirstMs: 1, delayMaxMs: 1, memoryMs: 60_000, memorySince: 'LAST_TRY' } as const;
    const count = (key: Buffer) => store.count([{ key, rule }], service.clock.epochMs());
    const { refused, answers } = await mixed(
      () => count('\\xzz' as unknown as Buffer),
      n => count(Buffer.from(`key-${n}`)),
    );
    expect(states(refused)).toEqual(new Set(['22023']));
    expect(answers.map(([counted]) => counted!.failures)).toEqual(answers.map(() => 1));
  });

  it('regression: all right Basic credentials pass beside user names with a NUL byte (R-5.1-2)', async () => {
    const { answers } = await mixed(
      n => service.authorize({ authorization: [basic(`a${nul}${n}`, 'pw')], address: '198.51.100.66' }),
      () => service.authorize({ authorization: [basic(account.username, account.apiPassword)] }),
    );
    expect(new Set(answers.map(outcomeOf))).toEqual(new Set(['allowed']));
  });
});
