import { eventually } from '@paycode/service-runtime/testing';
import { type BearerAccount, type Challenge, type ClientSession, LoginClient, tokenOf } from './testing/login-client';
import { outcomeOf, TestAuthSession } from './testing/test-service';

/** The last answer that the service gave about each session and challenge; it must hold after a restart. */
interface Promised {
  alive: Map<string, ClientSession>;
  ended: ClientSession[];
  challenges: Challenge[];
}

const clients = 6;
const kills = 3;
const answersBetweenKills = 40;

const service = TestAuthSession.ofSpec({}, 0);
const client = new LoginClient(service);
let account: BearerAccount;
beforeAll(async () => {
  await service.addProcess();
  account = await client.bearerAccount({ type: 'PSP', id: 1 });
});

const post = (path: string, jwt: string) => service.client('POST', `/authentication/${path}`, { data: { jwt } });
const use = async (session: ClientSession) => outcomeOf(await service.authorize({ authorization: [session.headerValue] }));

/** One client: it logs in, renews, logs out or stays, and asks for challenges until the service is killed. */
async function live(promised: Promised, answered: () => void): Promise<void> {
  for (;;) {
    const session = await client.passwordLogin(account);
    promised.alive.set(session.sessionId, session);
    answered();
    const { data } = await client.challenge(account.username);
    promised.challenges.push(data as Challenge);
    answered();
    // Until the answer arrives, the session may or may not be renewed: the test expects neither.
    promised.alive.delete(session.sessionId);
    const renewed = (await post('renew', tokenOf(session))).data as ClientSession;
    promised.ended.push(session);
    promised.alive.set(renewed.sessionId, renewed);
    answered();
    if (promised.ended.length % 2 === 0) continue;
    promised.alive.delete(renewed.sessionId);
    await post('logout', tokenOf(renewed));
    promised.ended.push(renewed);
    answered();
  }
}

/** Runs the clients until the service has given a number of answers, then kills it in the middle of its work. */
async function killAmidTraffic(promised: Promised): Promise<void> {
  let answers = 0;
  let killed: Promise<void> | undefined;
  const [process] = service.replicas;
  const answered = () => {
    answers += 1;
    if (answers === answersBetweenKills) killed = process!.stop('SIGKILL');
  };
  const lives = await Promise.allSettled(Array.from({ length: clients }, () => live(promised, answered)));
  expect(lives.every(({ status }) => status === 'rejected')).toBe(true);
  await killed;
  service.replicas.pop();
  await service.addProcess();
}

describe('kill -9 and restart of auth-session', () => {
  describe('as in R-4.1-12, A-33, T-09', () => {
    it('loses no session, challenge or revocation that was answered', async () => {
      const promised: Promised = { alive: new Map(), ended: [], challenges: [] };
      for (let i = 0; i < kills; i++) await killAmidTraffic(promised);
      expect([promised.alive.size, promised.ended.length, promised.challenges.length].every(count => count > kills)).toBe(true);
      for (const session of promised.alive.values()) expect(await use(session)).toBe('allowed');
      for (const session of promised.ended) expect(await use(session)).toBe('401 Invalid or expired JWT token');
      for (const challenge of promised.challenges) {
        const answer = client.answer(account.privateKey, challenge);
        const login = await client.login({ identity: account.username, password: account.password, ...answer });
        expect(login.status).toBe(200);
      }
    });
  });

  it('a stop finishes the answers in progress', async () => {
    const [process] = service.replicas;
    const answers = Array.from({ length: 8 }, () => client.challenge(account.username));
    // The same process serves the metrics: when they count RSA tasks, the process has accepted the requests.
    await eventually(async () => expect(await metric('paycode_auth_session_rsa_tasks')).toBeGreaterThan(0));
    await process!.stop('SIGTERM');
    service.replicas.pop();
    expect((await Promise.all(answers)).map(answer => answer.status)).toEqual(answers.map(() => 200));
  });
});

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${service.url('internal')}/metrics`)).text();
  return Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)![1]);
}
