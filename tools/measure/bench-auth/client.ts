/** The benchmark's calls to auth-session: accounts, tokens, and single requests that are timed. */
import {
  constants,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  publicEncrypt,
  randomBytes,
  randomUUID,
} from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import type { TokenKeyFiles } from '@paycode/access/token-keys';
import jsonwebtoken from 'jsonwebtoken';
import {
  operatorName,
  serviceTokenType,
  signingKeyOf,
  signOperatorToken,
} from '../../../libs/access/src/service-token/token-keys.ts';
import type { ServiceUnderTest } from './processes.ts';

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

export interface Call {
  method: 'GET' | 'POST' | 'PUT';
  url: string;
  headers?: Record<string, string>;
  body?: unknown;
}

interface Answer {
  status: number;
  body: Record<string, unknown>;
}

export function send({ method, url, headers = {}, body }: Call): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = { method, agent, headers: { 'content-type': 'application/json', ...headers } };
    const call = request(url, options, response => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.once('end', () => resolve({ status: response.statusCode!, body: JSON.parse(text) as Answer['body'] }));
    });
    call.once('error', reject).end(body === undefined ? undefined : JSON.stringify(body));
  });
}

export function closeConnections(): void {
  agent.destroy();
}

/** Signs in as operator and as gateway, and knows the paths. */
export class BenchClient {
  readonly service: ServiceUnderTest;
  private readonly tokens: BenchTokens;
  private serviceKey: KeyObject | undefined;

  constructor(service: ServiceUnderTest) {
    this.service = service;
    this.tokens = new BenchTokens(service.tokenKeys);
  }

  async operator(method: Call['method'], path: string, body?: unknown): Promise<Record<string, unknown>> {
    const headers = { authorization: `Bearer ${this.tokens.operator()}` };
    const answer = await send({ method, url: this.service.internalUrl + path, headers, body });
    if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status}`);
    return answer.body;
  }

  async basicAccount(id: number): Promise<{ username: string; password: string }> {
    const created = await this.operator('POST', '/internal/accounts', { type: 'PSP', id });
    return { username: created['username'] as string, password: created['apiPassword'] as string };
  }

  /** An account in Bearer mode with a registered key. */
  async bearerAccount(id: number): Promise<{ username: string; password: string }> {
    const { username } = await this.basicAccount(id);
    await this.operator('POST', `/internal/accounts/${username}/bearer`);
    const { apiPassword } = await this.operator('POST', `/internal/accounts/${username}/password`);
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 4096 });
    const encoded = publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
    await this.operator('PUT', `/internal/accounts/${username}/public-key`, { publicKey: encoded });
    return { username, password: apiPassword as string };
  }

  loginCall(identity: string, password: string): Call {
    return { method: 'POST', url: `${this.service.publicUrl}/authentication/login`, body: { identity, password } };
  }

  /** A request for a challenge; `plaintextBytes` other than 64 make it a forged one. */
  async challengeCall(identity: string, plaintextBytes = 64): Promise<Call> {
    const encrypted = publicEncrypt(
      { key: await this.challengeKey(), padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha1' },
      randomBytes(plaintextBytes),
    );
    return this.rawChallengeCall(identity, encrypted);
  }

  rawChallengeCall(identity: string, encrypted: Buffer): Call {
    const query = new URLSearchParams({ identity, clientChallenge: encrypted.toString('base64') }).toString();
    return { method: 'GET', url: `${this.service.publicUrl}/authentication/login-challenges?${query}` };
  }

  authorizeCall(authorization: string): Call {
    const { tokens } = this;
    const body = {
      method: 'POST',
      path: '/pluto/code/create',
      authorization: [authorization],
      address: '203.0.113.7',
      requestId: 'bench-0001',
    };
    return {
      method: 'POST',
      url: `${this.service.internalUrl}/internal/authorize`,
      // Read for each round: a service token lives for a minute.
      get headers() {
        return { authorization: `Bearer ${tokens.gateway()}` };
      },
      body,
    };
  }

  private async challengeKey(): Promise<KeyObject> {
    if (!this.serviceKey) {
      const { publicKey } = await this.operator('GET', '/internal/service-public-key');
      this.serviceKey = createPublicKey({ key: Buffer.from(publicKey as string, 'base64'), format: 'der', type: 'spki' });
    }
    return this.serviceKey;
  }
}

export const basic = ({ username, password }: { username: string; password: string }) =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

/** Tokens of the operator and of the gateway, for calls to auth-session. */
const gatewayLifetimeS = 60;
const renewAfterMs = 30_000;

class BenchTokens {
  private readonly files: TokenKeyFiles;
  private kept: { token: string; madeAtMs: number } | undefined;

  constructor(files: TokenKeyFiles) {
    this.files = files;
  }

  operator(): string {
    const key = signingKeyOf(operatorName, readFileSync(this.files.operator, 'utf8'));
    return signOperatorToken(key, { subject: 'bench', lifetimeS: 3_600 });
  }

  gateway(): string {
    if (this.kept && performance.now() - this.kept.madeAtMs < renewAfterMs) return this.kept.token;
    const { kid, privateKey } = signingKeyOf('api-gateway', readFileSync(this.files.services['api-gateway'], 'utf8'));
    const token = jsonwebtoken.sign({}, privateKey, {
      algorithm: 'ES256',
      keyid: kid,
      header: { alg: 'ES256', typ: serviceTokenType },
      issuer: 'api-gateway',
      audience: 'auth-session',
      expiresIn: gatewayLifetimeS,
      jwtid: randomUUID(),
    });
    this.kept = { token, madeAtMs: performance.now() };
    return token;
  }
}
