import { type KeyObject, randomBytes } from 'node:crypto';
import type { Credentials } from '@paycode/platform-client';
import { sharedPlatform } from './testing/platform';
import { type Challenge, type Session, SessionClient, sha256, tokenOf } from './testing/session-client';

/** A client makes sure of the service, the service of the client; a session begins, goes on and ends. */
describe('login with mutual trust', () => {
  const client = new SessionClient(sharedPlatform());
  let account: Credentials;
  let privateKey: KeyObject;
  let session: Session;

  beforeAll(async () => {
    account = await client.bearerAccount();
    privateKey = await client.registerKey(account.username);
  });

  describe('as in R-8-2, R-4.1-1, R-2.3-1, R-2.3-3, R-5.3-3', () => {
    it('the service proves itself before the client sends a password', async () => {
      const plaintext = randomBytes(64);
      const fromMs = Date.now();
      const answer = await client.challenge(account.username, plaintext);
      const toMs = Date.now();
      const challenge = JSON.parse(answer.text) as Challenge;
      expect(answer.status).toBe(200);
      expect(challenge.base64EncodedClientChallengeResponse).toBe(sha256(plaintext));
      // Sandbox: ten minutes from when it was made, which lies between the question and its answer.
      const madeAtMs = Date.parse(challenge.expires) - 600_000;
      expect([madeAtMs >= fromMs, madeAtMs <= toMs]).toEqual([true, true]);
    });
  });

  describe('as in R-2.3-2, R-4.1-4, R-4.1-5, R-4.1-6, R-2.2-1', () => {
    it('the client proves itself and gets a session', async () => {
      const challenge = JSON.parse((await client.challenge(account.username)).text) as Challenge;
      const fields = client.answerTo(challenge, privateKey);
      const answer = await client.post('login', { identity: account.username, password: account.password, ...fields });
      expect([answer.status, answer.headers['cache-control'], answer.headers['content-type']]).toEqual([
        200,
        'no-store',
        'application/json; charset=utf-8',
      ]);
      session = JSON.parse(answer.text) as Session;
      expect(Object.keys(session).sort()).toEqual(['expires', 'headerName', 'headerValue', 'sessionId']);
      expect(await client.useSession(session)).toBe('let in');
      // The same answer again is a replay.
      const replay = await client.post('login', { identity: account.username, password: account.password, ...fields });
      expect([replay.status, replay.message]).toEqual([401, 'Bad Credentials']);
    });
  });

  describe('as in R-4.1-9, R-4.1-10, A-29', () => {
    it('renewing gives the same session a new token and ends the old one', async () => {
      const answer = await client.post('renew', { jwt: tokenOf(session) });
      const renewed = JSON.parse(answer.text) as Session;
      expect([answer.status, renewed.sessionId]).toEqual([200, session.sessionId]);
      expect(await client.useSession(session)).toBe('401 Invalid or expired JWT token');
      expect(await client.useSession(renewed)).toBe('let in');
      session = renewed;
    });
  });

  it('of two concurrent renewals exactly one succeeds (A-28)', async () => {
    const answers = await Promise.all([1, 2].map(() => client.post('renew', { jwt: tokenOf(session) })));
    expect(answers.map(answer => answer.status).sort()).toEqual([200, 401]);
    session = JSON.parse(answers.find(answer => answer.status === 200)!.text) as Session;
  });

  describe('as in R-4.1-11, R-4.1-12, A-27, A-32', () => {
    it('after logout, by header, the token fails everywhere; logging out again changes nothing', async () => {
      const header = [session.headerName, session.headerValue];
      expect((await client.post('logout', undefined, header)).status).toBe(200);
      expect(await client.useSession(session)).toBe('401 Invalid or expired JWT token');
      expect((await client.post('renew', { jwt: tokenOf(session) })).message).toBe('Invalid or expired JWT token');
      expect((await client.post('logout', { jwt: tokenOf(session) })).status).toBe(200);
    });
  });

  it('an unknown identity gets a challenge too, and nobody can answer it (A-37)', async () => {
    const answer = await client.challenge('psp-404404');
    expect(answer.status).toBe(200);
    expect(() => client.answerTo(JSON.parse(answer.text) as Challenge, privateKey)).toThrow();
  });
});
