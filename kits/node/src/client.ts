/** Logs in with the mutual challenge (docs/how-to/log-in.md), keeps the session fresh, and sends requests with it. */
import {
  constants,
  createHash,
  createPrivateKey,
  createPublicKey,
  privateDecrypt,
  publicEncrypt,
  randomBytes,
} from 'node:crypto';
import { request } from 'node:https';
import { inspect } from 'node:util';
import { type Notification, readNotification } from './notification.js';

export interface ClientOptions {
  /** E.g. `https://localhost:8443`. */
  url: string;
  identity: string;
  password: string;
  /** Your RSA-4096 key, PEM (PKCS#8). */
  privateKey: string;
  /** The service's public key, base64 X.509. */
  serviceKey: string;
  /** PEM of the authority to trust (default: the system's authorities). */
  ca?: string;
}

export interface Session {
  headerName: string;
  headerValue: string;
  sessionId: string;
  expires: string;
}

export interface Response {
  status: number;
  text: string;
}

/** The service gave an unexpected answer. The message holds neither the request nor secrets. */
export class UnexpectedAnswer extends Error {
  override readonly name = 'UnexpectedAnswer';
}

interface Call {
  method: 'GET' | 'POST';
  path: string;
  body?: object;
  headers?: Record<string, string>;
}

const oaep = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha1' };
const timeoutMs = 30_000;
const answerBytesMax = 1_048_576;
const renewBeforeMs = 60_000;
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('base64');

export class Client {
  // Private at run time too, so that a log that prints a client holds neither password nor token.
  readonly #options: ClientOptions;
  #session: Session | undefined;
  #renewal: Promise<Session> | undefined;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  /** @throws UnexpectedAnswer before it sends the password, if the service does not prove that it holds its key */
  async logIn(): Promise<Session> {
    const { identity, password, serviceKey, privateKey } = this.#options;
    const secret = randomBytes(64);
    const key = createPublicKey({ key: Buffer.from(serviceKey, 'base64'), format: 'der', type: 'spki' });
    const clientChallenge = publicEncrypt({ key, ...oaep }, secret).toString('base64');
    const query = new URLSearchParams({ identity, clientChallenge }).toString();
    const challenge = await this.expect<Record<string, string>>({
      method: 'GET',
      path: `/authentication/login-challenges?${query}`,
    });
    if (challenge['base64EncodedClientChallengeResponse'] !== sha256(secret))
      throw new UnexpectedAnswer('the service did not prove that it holds its key');
    const encrypted = Buffer.from(challenge['base64EncodedChallenge'] ?? '', 'base64');
    const decrypted = privateDecrypt({ key: createPrivateKey(privateKey), ...oaep }, encrypted);
    const body = {
      identity,
      password,
      base64EncodedChallengeHash: sha256(encrypted),
      base64EncodedChallengeResponse: sha256(decrypted),
    };
    return (this.#session = await this.expect<Session>({ method: 'POST', path: '/authentication/login', body }));
  }

  /** Gets a new token for the same session; the old one stops working. Concurrent calls share one renewal. */
  renew(): Promise<Session> {
    this.#renewal ??= this.exchange().finally(() => (this.#renewal = undefined));
    return this.#renewal;
  }

  async logOut(): Promise<void> {
    if (this.#session) await this.expect({ method: 'POST', path: '/authentication/logout', body: this.jwt(this.#session) });
    this.#session = undefined;
  }

  /** A request in the session: logs in first, and renews a token that ends within a minute. */
  async send(method: 'GET' | 'POST', path: string, body?: object): Promise<Response> {
    const current = this.#session ?? (await this.logIn());
    const session = Date.parse(current.expires) - Date.now() > renewBeforeMs ? current : await this.renew();
    return this.call({ method, path, body, headers: { [session.headerName]: session.headerValue } });
  }

  /** Reads a notification that was missed. If nobody has acknowledged the payment yet, this call acknowledges it. */
  async notification(transactionId: number): Promise<Notification> {
    const { status, text } = await this.send('GET', `/pluto/purchase/notification/${transactionId}`);
    if (status !== 200) throw new UnexpectedAnswer(`getNotification answered ${status}`);
    return readNotification(Buffer.from(text));
  }

  private async exchange(): Promise<Session> {
    if (!this.#session) return this.logIn();
    const answer = await this.call({ method: 'POST', path: '/authentication/renew', body: this.jwt(this.#session) });
    // 401: the token has expired, so log in again.
    this.#session = answer.status === 401 ? await this.logIn() : parsed<Session>('/authentication/renew', answer);
    return this.#session;
  }

  /** The body of renew and logout, which take the token without the word Bearer. */
  private jwt({ headerValue }: Session): object {
    return { jwt: headerValue.replace(/^Bearer /, '') };
  }

  private async expect<T>(call: Call): Promise<T> {
    return parsed<T>(call.path, await this.call(call));
  }

  private call({ method, path, body, headers }: Call): Promise<Response> {
    const all = { ...(body ? { 'Content-Type': 'application/json' } : {}), ...headers };
    const options = { method, ca: this.#options.ca, headers: all, signal: AbortSignal.timeout(timeoutMs) };
    return new Promise((resolve, reject) => {
      const outgoing = request(this.#options.url + path, options, response => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
          if (text.length > answerBytesMax) outgoing.destroy(new UnexpectedAnswer('the answer is too long'));
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text })).on('error', reject);
      });
      outgoing.on('error', reject).end(body && JSON.stringify(body));
    });
  }
}

/** Printed in place of an answer, which may hold a token. */
const printedWithout = { [inspect.custom]: () => "Paycode's answer" };

function parsed<T>(path: string, { status, text }: Response): T {
  if (status !== 200) throw new UnexpectedAnswer(`${path.split('?')[0]} answered ${status}`);
  return { ...(JSON.parse(text) as T), ...printedWithout };
}
