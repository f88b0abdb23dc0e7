/** Calls Paycode for an account: by Basic, or with a session that it keeps fresh (docs/how-to/log-in.md). */
import {
  constants,
  createHash,
  createPrivateKey,
  createPublicKey,
  privateDecrypt,
  publicEncrypt,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type Agent, request } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import { inspect } from 'node:util';
import { exactJson } from './exact-json.js';
import { type Notification, readNotification } from './notification.js';

export interface ClientOptions {
  /** E.g. `https://localhost:8443`. */
  url: string;
  identity: string;
  password: string;
  /** The account logs in for a token of 15 minutes. Default: with a private key. Without, the password goes with each request (Basic). */
  isBearer?: boolean;
  /** Your RSA-4096 key, PEM (PKCS#8): the log-in proves both sides' keys. */
  privateKey?: string;
  /** The service's public key, base64 X.509. Needed with a private key. */
  serviceKey?: string;
  /** PEM of the authority to trust (default: the system's authorities). */
  ca?: string;
  /** For a request with its answer: 30,000. */
  timeoutMs?: number;
  /** E.g. one that goes through your proxy. */
  agent?: Agent;
}

export interface Session {
  headerName: string;
  headerValue: string;
  sessionId: string;
  expires: string;
}

/** `amount`: the exact decimal as text, e.g. '25.50'. The other members: docs/reference, createCode. */
export interface NewCode {
  merchantReference: string;
  amount: string;
  currencyCode: string;
  merchantId?: number;
  expiryDate?: number;
  shortDescription?: string;
  useOnce?: boolean;
  requestTip?: boolean;
  requestContact?: boolean;
  extraReferenceName?: string;
  extraReferenceValue?: string;
}

export interface PaymentCode {
  code: string;
  expiryDate: number;
  codeUrl: string;
}

/** As queryRef answers, the amount as text with its digits. */
export interface PaymentReference extends Record<string, unknown> {
  transactionId: number | null;
  reference: string;
  amount: string;
  currencyCode: string;
  status: string;
}

export interface NotificationQuery {
  since?: string;
  reference?: string;
  code?: string;
  merchantId?: number;
  cursor?: string;
  limit?: number;
}

export interface ListedNotification extends Record<string, unknown> {
  transactionId: number;
  merchantId: number;
  status: string;
  reference: string;
  delivery: string;
  completedAt: string;
  acknowledgedAt: string | null;
}

/** `next` is the cursor of the next page, or null. */
export interface NotificationPage {
  notifications: ListedNotification[];
  next: string | null;
}

export interface HttpNotification {
  merchantId: number;
  url: string;
  version: string;
  /** Secret: 32 hexadecimal characters for your key file. */
  encryptKey: string;
}

export interface NotificationEntry {
  type: string;
  value: string;
  version?: string;
}

/** Paycode's answer was no success. Decide by `code` (docs/reference/errors.md), and tell support the `requestId`; both may be empty. Holds no secrets. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  constructor(
    message: string,
    readonly status: number,
    readonly code: string,
    readonly requestId: string,
    /** The wait that a 429 or 503 asks for. */
    readonly retryAfterS?: number,
  ) {
    super(message);
  }
}

interface Call {
  method: 'GET' | 'POST';
  path: string;
  body?: string;
  /** A second call does what one does, so a lost answer is asked for again. */
  isRepeatable?: boolean;
}

const oaep = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha1' };
const timeoutMsDefault = 30_000;
const answerBytesMax = 1_048_576;
const renewBeforeMs = 60_000;
/** A longer wait is the caller's to decide. */
const repeatWaitSecondsMax = 5;
const notification = '/portal/restful/merchant/notification';
const digest = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest();
const sha256 = (bytes: Buffer) => digest(bytes).toString('base64');

export class Client {
  // Private at run time too, so that a log that prints a client holds neither password nor token.
  readonly #options: ClientOptions;
  readonly #isBearer: boolean;
  #session: Session | undefined;
  #renewal: Promise<Session> | undefined;

  constructor(options: ClientOptions) {
    if (Boolean(options.privateKey) !== Boolean(options.serviceKey))
      throw new RangeError('privateKey and serviceKey go together');
    this.#options = options;
    this.#isBearer = options.isBearer ?? options.privateKey !== undefined;
  }

  /** A repeat with the same merchantReference and content gives the same code, so a lost answer is asked for again. */
  async createCode({ amount, ...others }: NewCode): Promise<PaymentCode> {
    if (!/^\d+(?:\.\d+)?$/.test(amount)) throw new RangeError('amount must be a decimal as text, e.g. "25.50"');
    // JSON.stringify would round the amount.
    const body = `${JSON.stringify(others).slice(0, -1)},"amount":${amount}}`;
    return JSON.parse(await this.send({ method: 'POST', path: '/pluto/code/create', body, isRepeatable: true })) as PaymentCode;
  }

  async queryRef(code: string, merchantReference: string): Promise<PaymentReference> {
    const text = await this.post('/pluto/code/queryRef', { code, merchantReference });
    return { ...(JSON.parse(text) as PaymentReference), amount: exactJson(text)['amount']! };
  }

  /** Reads a notification that was missed. If nobody has acknowledged the payment yet, this call acknowledges it. */
  async getNotification(transactionId: number): Promise<Notification> {
    return readNotification(Buffer.from(await this.get(`/pluto/purchase/notification/${transactionId}`)));
  }

  /** One page of what became final `since` an instant (ISO 8601); reading the list acknowledges nothing. */
  async notifications(query: NotificationQuery): Promise<NotificationPage> {
    const given = Object.entries(query).filter(([, value]) => value !== undefined);
    const words = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])).toString();
    return JSON.parse(await this.get(`/pluto/purchase/notifications?${words}`)) as NotificationPage;
  }

  /** Sets the URL of a merchant's notifications and gives the key that opens them. The URL must answer the probe. */
  async addHttp(merchantId: number, url: string, version = 'V3'): Promise<HttpNotification> {
    return unprinted<HttpNotification>(await this.post(`${notification}/addHttp`, { merchantId, url, version }));
  }

  /** A new key each time: after a lost answer look at what arrives before you call again. */
  async renewKey(merchantId: number): Promise<HttpNotification> {
    return unprinted<HttpNotification>(await this.post(`${notification}/renewKey`, { merchantId }, false));
  }

  /** Also tells an e-mail address or phone number of payments; gives all entries. */
  async extra(merchantId: number, type: string, value: string): Promise<NotificationEntry[]> {
    return JSON.parse(await this.post(`${notification}/extra`, { merchantId, type, value })) as NotificationEntry[];
  }

  async list(merchantId: number): Promise<NotificationEntry[]> {
    return JSON.parse(await this.post(`${notification}/list`, { merchantId })) as NotificationEntry[];
  }

  /** Any other operation, `body` as JSON; the text of its answer. @throws ApiError for a status beside 200 */
  async send(call: Call): Promise<string> {
    const headers = await this.authorization();
    try {
      return await this.repeated(call, headers);
    } catch (error) {
      if (!this.#isBearer || !(error instanceof ApiError) || error.status !== 401) throw error;
      // The session has ended elsewhere; another call may have logged in since.
      if (this.#session?.headerValue === Object.values(headers)[0]) this.#session = undefined;
      return this.repeated(call, await this.authorization());
    }
  }

  /** For Bearer accounts; other methods do it by themselves. @throws ApiError before it sends the password, if the service does not prove that it holds its key */
  async logIn(): Promise<Session> {
    const { identity, password, privateKey, serviceKey } = this.#options;
    const proof = privateKey && serviceKey ? await this.proof(privateKey, serviceKey) : {};
    const body = JSON.stringify({ identity, password, ...proof });
    return (this.#session = unprinted<Session>(await this.attempt({ method: 'POST', path: '/authentication/login', body }, {})));
  }

  /** Gets a new token for the same session; the old one stops working. Concurrent calls share one renewal. */
  renew(): Promise<Session> {
    this.#renewal ??= this.exchange().finally(() => (this.#renewal = undefined));
    return this.#renewal;
  }

  async logOut(): Promise<void> {
    if (this.#session) await this.attempt({ method: 'POST', path: '/authentication/logout', body: jwt(this.#session) }, {});
    this.#session = undefined;
  }

  private get(path: string): Promise<string> {
    return this.send({ method: 'GET', path, isRepeatable: true });
  }

  private post(path: string, body: object, isRepeatable = true): Promise<string> {
    return this.send({ method: 'POST', path, body: JSON.stringify(body), isRepeatable });
  }

  /** Both challenge fields of the log-in. */
  private async proof(privateKey: string, serviceKey: string): Promise<object> {
    const secret = randomBytes(64);
    const key = createPublicKey({ key: Buffer.from(serviceKey, 'base64'), format: 'der', type: 'spki' });
    const clientChallenge = publicEncrypt({ key, ...oaep }, secret).toString('base64');
    const query = new URLSearchParams({ identity: this.#options.identity, clientChallenge }).toString();
    const path = `/authentication/login-challenges?${query}`;
    const challenge = JSON.parse(await this.repeated({ method: 'GET', path, isRepeatable: true }, {})) as Record<string, string>;
    const proven = challenge['base64EncodedClientChallengeResponse'] ?? '';
    // Digests, because only texts of one length can be compared in constant time.
    if (!timingSafeEqual(digest(proven), digest(sha256(secret))))
      throw new ApiError('the service did not prove that it holds its key', 200, 'SERVICE_NOT_PROVEN', '');
    const encrypted = Buffer.from(challenge['base64EncodedChallenge'] ?? '', 'base64');
    const decrypted = privateDecrypt({ key: createPrivateKey(privateKey), ...oaep }, encrypted);
    return { base64EncodedChallengeHash: sha256(encrypted), base64EncodedChallengeResponse: sha256(decrypted) };
  }

  private async authorization(): Promise<Record<string, string>> {
    const { identity, password } = this.#options;
    if (!this.#isBearer) return { Authorization: `Basic ${Buffer.from(`${identity}:${password}`).toString('base64')}` };
    const isFresh = this.#session && Date.parse(this.#session.expires) - Date.now() > renewBeforeMs;
    const { headerName, headerValue } = isFresh ? this.#session! : await this.renew();
    return { [headerName]: headerValue };
  }

  private async exchange(): Promise<Session> {
    if (!this.#session) return this.logIn();
    try {
      const body = jwt(this.#session);
      return (this.#session = unprinted<Session>(
        await this.attempt({ method: 'POST', path: '/authentication/renew', body }, {}),
      ));
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return this.logIn(); // the token has expired
      throw error;
    }
  }

  /** A lost answer, 429, 502, 503 and 504 are tried once more. */
  private async repeated(call: Call, headers: Record<string, string>): Promise<string> {
    try {
      return await this.attempt(call, headers);
    } catch (error) {
      const isPassing = !(error instanceof ApiError) || [429, 502, 503, 504].includes(error.status);
      const waitS = (error as ApiError).retryAfterS ?? 1;
      if (!call.isRepeatable || !isPassing || waitS > repeatWaitSecondsMax) throw error;
      await pause(waitS * 1_000);
      return this.attempt(call, headers);
    }
  }

  private attempt({ method, path, body }: Call, headers: Record<string, string>): Promise<string> {
    const { url, ca, agent, timeoutMs = timeoutMsDefault } = this.#options;
    const all = { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers };
    const options = { method, ca, agent, headers: all, signal: AbortSignal.timeout(timeoutMs) };
    return new Promise((resolve, reject) => {
      const outgoing = request(url + path, options, response => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
          if (text.length > answerBytesMax) outgoing.destroy(new Error('the answer is too long'));
        });
        const failed = () => errorOf(`${method} ${path.split('?')[0]}`, text, response);
        response.on('end', () => (response.statusCode === 200 ? resolve(text) : reject(failed()))).on('error', reject);
      });
      outgoing.on('error', reject).end(body);
    });
  }
}

function errorOf(what: string, text: string, { statusCode: status = 0, headers }: IncomingMessage): ApiError {
  const { code = '', message = '', requestId = String(headers['x-request-id'] ?? '') } = objectIn(text);
  const retryAfter = headers['retry-after'] === undefined ? undefined : Number(headers['retry-after']);
  const said = `${what} answered ${status} ${code}: ${message} (requestId ${requestId})`;
  return new ApiError(said, status, code, requestId, Number.isNaN(retryAfter) ? undefined : retryAfter);
}

/** Empty when something between here and Paycode has answered. */
function objectIn(text: string): Partial<Record<string, string>> {
  try {
    return JSON.parse(text) as Partial<Record<string, string>>;
  } catch {
    return {};
  }
}

/** An answer that holds a token or a key: a log that prints it shows neither. */
function unprinted<T>(text: string): T {
  return { ...(JSON.parse(text) as T), [inspect.custom]: () => "Paycode's answer" };
}

/** The body of renew and logout, which take the token without the word Bearer. */
function jwt({ headerValue }: Session): string {
  return JSON.stringify({ jwt: headerValue.replace(/^Bearer /, '') });
}
