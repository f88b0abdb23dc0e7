import {
  constants,
  createHash,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  privateDecrypt,
  publicEncrypt,
  randomBytes,
  randomInt,
} from 'node:crypto';
import { accepted, type Credentials, newAccount, type PlatformConnection } from '@paycode/platform-client';
import { type ExactAnswer, ExactGatewayClient } from './exact-gateway-client';

const oaep = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha1' } as const;
export const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('base64');

export interface Session {
  headerName: string;
  headerValue: string;
  sessionId: string;
  expires: string;
}

export interface Challenge {
  expires: string;
  base64EncodedChallenge: string;
  base64EncodedClientChallengeResponse: string;
}

/** A number that no other journey, in any process, uses for an account. */
export function freshId(): number {
  return randomInt(10_000_000, 2 ** 47);
}

/** The authentication endpoints through the gateway, used as section 5.3 describes. */
export class SessionClient {
  readonly gateway: ExactGatewayClient;
  private serviceKey: KeyObject | undefined;

  constructor(private readonly platform: PlatformConnection) {
    this.gateway = new ExactGatewayClient(platform);
  }

  async operator(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
    const answer = await this.platform.operator('auth-session', { method, path, body });
    return accepted(`${method} ${path}`, answer) as Record<string, unknown>;
  }

  basicAccount(): Promise<Credentials> {
    return newAccount(this.platform, { type: 'PSP', id: freshId() });
  }

  /** An account that support has switched to Bearer, with a password generated since. */
  async bearerAccount(): Promise<Credentials> {
    const { username } = await this.basicAccount();
    await this.operator('POST', `/internal/accounts/${username}/bearer`);
    const { apiPassword } = await this.operator('POST', `/internal/accounts/${username}/password`);
    return { username, password: apiPassword as string };
  }

  /** Gives support the public half of a new key; the private half stays here. */
  async registerKey(username: string): Promise<KeyObject> {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 4096 });
    const encoded = publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
    await this.operator('PUT', `/internal/accounts/${username}/public-key`, { publicKey: encoded });
    return privateKey;
  }

  /** Base64 X.509, as support gives it out of band. */
  async servicePublicKeyText(): Promise<string> {
    return (await this.operator('GET', '/internal/service-public-key'))['publicKey'] as string;
  }

  async challenge(identity: string, plaintext = randomBytes(64)): Promise<ExactAnswer> {
    const key = (this.serviceKey ??= createPublicKey({
      key: Buffer.from(await this.servicePublicKeyText(), 'base64'),
      format: 'der',
      type: 'spki',
    }));
    const clientChallenge = publicEncrypt({ key, ...oaep }, plaintext).toString('base64');
    return this.gateway.send({
      path: `/authentication/login-challenges?${new URLSearchParams({ identity, clientChallenge }).toString()}`,
    });
  }

  /** Both challenge fields of login. */
  answerTo(challenge: Challenge, privateKey: KeyObject): object {
    const encrypted = Buffer.from(challenge.base64EncodedChallenge, 'base64');
    const decrypted = privateDecrypt({ key: privateKey, ...oaep }, encrypted);
    return { base64EncodedChallengeHash: sha256(encrypted), base64EncodedChallengeResponse: sha256(decrypted) };
  }

  post(path: string, body: unknown, headers: string[] = []): Promise<ExactAnswer> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const lines = text === undefined ? headers : ['Content-Type', 'application/json', ...headers];
    return this.gateway.send({ method: 'POST', path: `/authentication/${path}`, headers: lines, body: text });
  }

  async logIn({ username, password }: Credentials): Promise<Session> {
    const answer = await this.post('login', { identity: username, password });
    if (answer.status !== 200) throw new Error(`login answered ${answer.status} ${answer.text}`);
    return JSON.parse(answer.text) as Session;
  }

  /** A request that needs an account and nothing else; the answer's status and message. */
  async use(...headers: string[]): Promise<string> {
    const { status, message } = await this.gateway.send({ path: '/pluto/purchase/notification/1', headers });
    return status === 401 || status === 403 ? `${status} ${message}` : 'let in';
  }

  useSession(session: Session): Promise<string> {
    return this.use(session.headerName, session.headerValue);
  }
}

export const tokenOf = (session: Session) => session.headerValue.slice('Bearer '.length);
