import {
  constants,
  createHash,
  createPublicKey,
  generateKeyPairSync,
  type KeyPairKeyObjectResult,
  type KeyObject,
  privateDecrypt,
  publicEncrypt,
  randomBytes,
} from 'node:crypto';
import type { AxiosResponse } from 'axios';
import type { TestAuthSession } from './test-service';

const oaep = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha1' } as const;
const hash = (bytes: Buffer) => createHash('sha256').update(bytes).digest('base64');

export interface BearerAccount {
  username: string;
  password: string;
  privateKey: KeyObject;
}

export interface Challenge {
  expires: string;
  base64EncodedChallenge: string;
  base64EncodedClientChallengeResponse: string;
}

export interface ClientSession {
  headerName: string;
  headerValue: string;
  sessionId: string;
  expires: string;
}

let keys: KeyPairKeyObjectResult | undefined;

/** One pair for all accounts of a test file: making one takes a second. */
function clientKeys(): KeyPairKeyObjectResult {
  return (keys ??= generateKeyPairSync('rsa', { modulusLength: 4096 }));
}

/** A client of the login endpoints, written from section 5.3 with Node's crypto, independent of the service's own code. */
export class LoginClient {
  private serviceKey: KeyObject | undefined;

  constructor(private readonly service: TestAuthSession) {}

  /** A fresh account in Bearer mode with a password and, unless told otherwise, a registered key. */
  async bearerAccount(account: object, withKey = true): Promise<BearerAccount> {
    const { username } = await this.service.create(account);
    await this.service.operator('POST', `/internal/accounts/${username}/bearer`);
    const { data } = await this.service.operator('POST', `/internal/accounts/${username}/password`);
    const { privateKey, publicKey } = clientKeys();
    const encoded = publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
    if (withKey) await this.service.operator('PUT', `/internal/accounts/${username}/public-key`, { publicKey: encoded });
    return { username, password: (data as { apiPassword: string }).apiPassword, privateKey };
  }

  async servicePublicKey(): Promise<KeyObject> {
    if (!this.serviceKey) {
      const { data } = await this.service.operator('GET', '/internal/service-public-key');
      const der = Buffer.from((data as { publicKey: string }).publicKey, 'base64');
      this.serviceKey = createPublicKey({ key: der, format: 'der', type: 'spki' });
    }
    return this.serviceKey;
  }

  async encryptToService(plaintext: Buffer): Promise<string> {
    return publicEncrypt({ key: await this.servicePublicKey(), ...oaep }, plaintext).toString('base64');
  }

  async challenge(identity: string, plaintext = randomBytes(64)): Promise<AxiosResponse> {
    const clientChallenge = encodeURIComponent(await this.encryptToService(plaintext));
    return this.service.client(
      'GET',
      `/authentication/login-challenges?identity=${encodeURIComponent(identity)}&clientChallenge=${clientChallenge}`,
    );
  }

  /** Both challenge fields of login. */
  answer(
    privateKey: KeyObject,
    challenge: Challenge,
  ): { base64EncodedChallengeHash: string; base64EncodedChallengeResponse: string } {
    const encrypted = Buffer.from(challenge.base64EncodedChallenge, 'base64');
    const decrypted = privateDecrypt({ key: privateKey, ...oaep }, encrypted);
    return { base64EncodedChallengeHash: hash(encrypted), base64EncodedChallengeResponse: hash(decrypted) };
  }

  /** Whole login of spec 5.3. */
  async fullLogin(account: BearerAccount): Promise<ClientSession> {
    const plaintext = randomBytes(64);
    const challenge = (await this.challenge(account.username, plaintext)).data as Challenge;
    if (challenge.base64EncodedClientChallengeResponse !== hash(plaintext)) throw new Error('the service did not prove itself');
    return this.session({ ...account, ...this.answer(account.privateKey, challenge) });
  }

  /** Login on identity and password alone. */
  passwordLogin({ username, password }: { username: string; password: string }): Promise<ClientSession> {
    return this.session({ username, password });
  }

  login(body: object): Promise<AxiosResponse> {
    return this.service.client('POST', '/authentication/login', { data: body });
  }

  private async session({ username, privateKey: _, ...rest }: { username: string; privateKey?: KeyObject; password: string }) {
    const answer = await this.login({ identity: username, ...rest });
    if (answer.status !== 200) throw new Error(`login answered ${answer.status} ${JSON.stringify(answer.data)}`);
    return answer.data as ClientSession;
  }
}

export const tokenOf = (session: ClientSession) => session.headerValue.slice('Bearer '.length);
