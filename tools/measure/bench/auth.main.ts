/**
 * `npm run bench -- auth`: whether answers of auth-session that must be indistinguishable take the same time (docs/explanation/performance.md).
 */
import type { ServiceProcess } from '../../prove/faults/environment/service-process.ts';
import { serviceUnderTest } from './platform-under-test.ts';
import { print, median } from './report.ts';
import { type BenchFixture, runBenchmark } from './run-benchmark.ts';
import { constants, createPublicKey, generateKeyPairSync, type KeyObject, publicEncrypt, randomBytes } from 'node:crypto';
import type { TestTokenKeys } from '@paycode/access/testing';
import { request } from 'undici';

interface Call {
  method: 'GET' | 'POST' | 'PUT';
  url: string;
  headers?: Record<string, string>;
  body?: unknown;
}

interface Credentials {
  username: string;
  password: string;
}

async function send({ method, url, headers = {}, body }: Call) {
  const json = { 'content-type': 'application/json', ...headers };
  const answer = await request(url, { method, headers: json, body: body === undefined ? undefined : JSON.stringify(body) });
  return { status: answer.statusCode, body: (await answer.body.json()) as Record<string, unknown> };
}

const basic = ({ username, password }: Credentials) => `Basic ${btoa(`${username}:${password}`)}`;

/** Signs in as operator and as gateway, and knows the paths. */
class AuthCalls {
  private serviceKey: KeyObject | undefined;

  constructor(
    private readonly service: ServiceProcess,
    private readonly keys: TestTokenKeys,
  ) {}

  private async operator(method: Call['method'], path: string, body?: unknown): Promise<Record<string, unknown>> {
    const headers = this.keys.headers('operator', 'auth-session');
    const answer = await send({ method, url: this.service.internalUrl + path, headers, body });
    if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status}`);
    return answer.body;
  }

  async basicAccount(id: number): Promise<Credentials> {
    const created = await this.operator('POST', '/internal/accounts', { type: 'PSP', id });
    return { username: created['username'] as string, password: created['apiPassword'] as string };
  }

  /** An account in Bearer mode with a registered key. */
  async bearerAccount(id: number): Promise<Credentials> {
    const { username } = await this.basicAccount(id);
    await this.operator('POST', `/internal/accounts/${username}/bearer`);
    const { apiPassword } = await this.operator('POST', `/internal/accounts/${username}/password`);
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 4096 });
    const encoded = publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
    await this.operator('PUT', `/internal/accounts/${username}/public-key`, { publicKey: encoded });
    return { username, password: apiPassword as string };
  }

  login(identity: string, password: string): Call {
    return { method: 'POST', url: `${this.service.publicUrl}/authentication/login`, body: { identity, password } };
  }

  /** A request for a challenge; `plaintextBytes` other than 64 make it a forged one. */
  async challenge(identity: string, plaintextBytes = 64): Promise<Call> {
    const padding = constants.RSA_PKCS1_OAEP_PADDING;
    const options = { key: await this.challengeKey(), padding, oaepHash: 'sha1' };
    return this.rawChallenge(identity, publicEncrypt(options, randomBytes(plaintextBytes)));
  }

  rawChallenge(identity: string, encrypted: Buffer): Call {
    const query = new URLSearchParams({ identity, clientChallenge: encrypted.toString('base64') }).toString();
    return { method: 'GET', url: `${this.service.publicUrl}/authentication/login-challenges?${query}` };
  }

  /** Valid for the minute that a token of the gateway lives. */
  authorize(authorization: string): Call {
    const asked = { method: 'POST', path: '/pluto/code/create', address: '203.0.113.7', requestId: 'bench-0001' };
    const headers = this.keys.headers('api-gateway', 'auth-session');
    const url = `${this.service.internalUrl}/internal/authorize`;
    return { method: 'POST', url, headers, body: { ...asked, authorization: [authorization] } };
  }

  private async challengeKey(): Promise<KeyObject> {
    if (!this.serviceKey) {
      const { publicKey } = await this.operator('GET', '/internal/service-public-key');
      this.serviceKey = createPublicKey({ key: Buffer.from(publicKey as string, 'base64'), format: 'der', type: 'spki' });
    }
    return this.serviceKey;
  }
}

/** Requests of one kind, and the status that answers each. */
type Kind = [name: string, status: number, next: () => Call];

const warmUp = 50;

/** Median time of each kind, in microseconds, one request at a time. @throws when an answer is not the expected one */
async function timeInTurn(kinds: readonly Kind[], rounds: number): Promise<number[]> {
  const times = kinds.map((): number[] => []);
  for (let round = 0; round < rounds + warmUp; round++) {
    // Rotated, so that no kind always follows the same other one.
    for (let i = 0; i < kinds.length; i++) {
      const at = (i + round) % kinds.length;
      const elapsedUs = await timeOf(kinds[at]!);
      if (round >= warmUp) times[at]!.push(elapsedUs);
    }
  }
  return times.map(each => Math.round(median(each)));
}

async function timeOf([name, status, next]: Kind): Promise<number> {
  const call = next();
  // Each call has an address of its own, so that no limit of one address cuts a measurement short.
  const address = `2001:db8:${randomBytes(2).toString('hex')}:${randomBytes(2).toString('hex')}::1`;
  call.headers = { ...call.headers, 'x-forwarded-for': address };
  if (call.url.endsWith('/internal/authorize')) call.body = { ...(call.body as object), address };
  const startedAt = performance.now();
  const answer = await send(call);
  const elapsedMs = performance.now() - startedAt;
  if (answer.status !== status) throw new Error(`${name}: expected ${status}, got ${answer.status}`);
  return elapsedMs * 1_000;
}

const prepared = 100;
const unknown = 'psp-987654';
const wrong = 'A'.repeat(27);

/** `known`: an account in Bearer mode with a key, and its password; `basicUser`: one in Basic mode. */
async function timingGroups(
  calls: AuthCalls,
  { known, password, basicUser }: { known: string; password: string; basicUser: string },
): Promise<Record<string, Kind[]>> {
  const refused = (username: string) => () => calls.authorize(basic({ username, password: wrong }));
  const login = (identity: string) => () => calls.login(identity, wrong);
  const forged = (identity: string, secret: string) => () => {
    const call = calls.login(identity, secret);
    const digest = () => randomBytes(32).toString('base64');
    const fields = { base64EncodedChallengeHash: digest(), base64EncodedChallengeResponse: digest() };
    return { ...call, body: { ...(call.body as object), ...fields } };
  };
  const challenges = async (identity: string, bytes?: number) =>
    inTurn(await Promise.all(Array.from({ length: prepared }, () => calls.challenge(identity, bytes))));
  // Below any modulus of this size, so that RSA itself runs and only the padding is wrong.
  const undecryptable = () => calls.rawChallenge(known, Buffer.concat([Buffer.alloc(1), randomBytes(511)]));
  return {
    'Basic, wrong password': [
      ['known account', 200, refused(basicUser)],
      ['unknown account', 200, refused(unknown)],
      ['account in Bearer mode', 200, refused(known)],
    ],
    'login refused': [
      ['wrong password', 401, login(known)],
      ['unknown identity', 401, login(unknown)],
    ],
    'login with a forged challenge refused': [
      ['right password', 401, forged(known, password)],
      ['wrong password', 401, forged(known, wrong)],
      ['unknown identity', 401, forged(unknown, wrong)],
    ],
    'login-challenges': [
      ['identity with a key', 200, await challenges(known)],
      ['identity in Basic mode', 200, await challenges(basicUser)],
      ['unknown identity', 200, await challenges(unknown)],
    ],
    'clientChallenge refused': [
      ['not decryptable', 400, undecryptable],
      ['63 bytes', 400, await challenges(known, 63)],
      ['65 bytes, unknown identity', 400, await challenges(unknown, 65)],
    ],
  };
}

function inTurn(calls: Call[]): () => Call {
  let at = 0;
  return () => calls[at++ % calls.length]!;
}

/** Requests of each kind. */
const scales = { quick: 100, full: 400 };

async function measure({ database, secrets }: BenchFixture, timed: number): Promise<boolean> {
  const service = await serviceUnderTest('auth-session', database.folder('auth-session'), {
    secrets,
    env: {
      DATABASE_URL: await database.create('auth_session'),
      PASSWORD_PEPPERS: secrets.payloadKeys,
      KEY_ENCRYPTION_KEYS: secrets.keyEncryptionKeys,
    },
  });
  await service.start();
  const calls = new AuthCalls(service, secrets.tokenKeys);
  const [basicAccount, { username, password }] = [await calls.basicAccount(1), await calls.bearerAccount(2)];
  print('Medians of requests in turn, one connection');
  const groups = await timingGroups(calls, { known: username, password, basicUser: basicAccount.username });
  for (const [title, kinds] of Object.entries(groups)) {
    const medians = await timeInTurn(kinds, timed);
    print(`  ${title}: ${kinds.map(([name], at) => `${name} ${medians[at]} us`).join(', ')}`);
    print(`    ratio ${(Math.max(...medians) / Math.min(...medians)).toFixed(3)}`);
  }
  return true;
}

runBenchmark(scales, () => ({ healthy: 0, hanging: 0 }), measure);
