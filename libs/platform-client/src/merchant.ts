import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { exactNumber, type JsonAnswer } from './http/send-json.ts';
import type { Credentials, PlatformConnection } from './platform-connection.ts';

/** State of the reversal job of a payment, as the reversal-scheduler tells it. */
export interface ReversalState {
  state: 'ARMED' | 'SETTLED' | 'REVERSED';
  armedAt: string | null;
  dueAt: string | null;
  decidedAt: string | null;
  reason: string | null;
}

/** Timeline of a delivery, as the webhook-dispatcher tells it. */
export interface DeliveryTimeline {
  receivedAt: string;
  armedAt: string | null;
  attempts: { attempt: number; startedAt: string; outcome: string | null; elapsedMs: number | null }[];
  verdict: { kind: string; at: string; elapsedMs: number | null } | null;
}

export interface PaymentCode {
  code: string;
  expiryDate: number;
  codeUrl: string;
}

interface CodeDetails {
  /** When a PSP makes the code. */
  merchantId?: number;
  merchantReference: string;
  amount: string | number;
  currencyCode: string;
  expiryDate?: number;
  useOnce?: boolean;
}

/** The platform refused a request that it should have accepted; the message contains the answer. */
export class UnexpectedAnswerError extends Error {
  constructor(what: string, { status, text }: JsonAnswer) {
    super(`${what}: answered ${status} ${text.slice(0, 500)}`);
    this.name = 'UnexpectedAnswerError';
  }
}

export interface MerchantOptions {
  merchantId: number;
  /** Signs the merchant in. */
  credentials: Credentials;
  /** Signs the PSP in that manages the merchant's notifications. */
  psp: Credentials;
}

/** A merchant with its PSP, as clients of the gateway. */
export class Merchant {
  readonly merchantId: number;
  private readonly platform: PlatformConnection;
  private readonly options: MerchantOptions;

  constructor(platform: PlatformConnection, options: MerchantOptions) {
    this.platform = platform;
    this.options = options;
    this.merchantId = options.merchantId;
  }

  get credentials(): Credentials {
    return this.options.credentials;
  }

  /** Registers the URL for notifications; returns the key that encrypts them. */
  async addHttp(url: string): Promise<string> {
    const body = { merchantId: this.merchantId, url, version: 'V3' };
    const path = '/portal/restful/merchant/notification/addHttp';
    const answer = await this.platform.gateway({ method: 'POST', path, body, as: this.options.psp });
    return (accepted('addHttp', answer) as { encryptKey: string }).encryptKey;
  }

  /** An `amount` given as text is sent digit for digit. */
  async createCode(details: CodeDetails): Promise<PaymentCode> {
    const body = { ...details, amount: exactNumber(String(details.amount)) };
    const call = { method: 'POST', path: '/pluto/code/create', body, as: this.options.credentials };
    return accepted('createCode', await this.platform.gateway(call)) as PaymentCode;
  }

  /** Lets a customer pay a code on the public payment page; gives the transaction. */
  async pay(code: string, outcome = 'SUCCESS'): Promise<number> {
    const answer = await this.platform.gateway({
      method: 'POST',
      path: `/public/pay/${code}`,
      body: { outcome, clientMsisdn: '+27820000001' },
    });
    return (accepted('paying the code', answer) as { transactionId: number }).transactionId;
  }

  /** Reads the notification of a transaction. */
  getNotification(transactionId: number): Promise<JsonAnswer> {
    const path = `/pluto/purchase/notification/${transactionId}`;
    return this.platform.gateway({ method: 'GET', path, as: this.options.credentials });
  }

  reversal(transactionId: number): Promise<ReversalState | undefined> {
    return this.look<ReversalState>('reversal-scheduler', `/internal/reversals/${transactionId}`);
  }

  delivery(transactionId: number): Promise<DeliveryTimeline | undefined> {
    return this.look<DeliveryTimeline>('webhook-dispatcher', `/internal/deliveries/${transactionId}`);
  }

  async transaction(transactionId: number): Promise<{ txState: string; status: string; [field: string]: unknown }> {
    const path = `/internal/transactions/${transactionId}`;
    const answer = await this.platform.operator('payment-simulator', { method: 'GET', path });
    return accepted('the transaction', answer) as { txState: string; status: string };
  }

  /** Undefined until the service knows the transaction. */
  private async look<T>(service: string, path: string): Promise<T | undefined> {
    const answer = await this.platform.operator(service, { method: 'GET', path });
    return answer.status === 404 ? undefined : (accepted(service, answer) as T);
  }
}

/** The body of a 2xx answer. Throws UnexpectedAnswerError for any other. */
export function accepted(what: string, answer: JsonAnswer): unknown {
  if (answer.status < 200 || answer.status > 299) throw new UnexpectedAnswerError(what, answer);
  return answer.body;
}

/** An account that an operator makes, e.g. `{ type: 'PSP', id: 7 }`. */
export async function newAccount(platform: PlatformConnection, account: object): Promise<Credentials> {
  const answer = await platform.operator('auth-session', { method: 'POST', path: '/internal/accounts', body: account });
  const { username, apiPassword: password } = accepted('the account', answer) as { username: string; apiPassword: string };
  return { username, password };
}

/** Lets an operator make an active merchant, or renew it. */
export async function saveMerchant(platform: PlatformConnection, merchantId: number, pspId = 1): Promise<void> {
  const body = { merchantName: `Shop ${merchantId.toString(36)}`, pspId, acquirer: 'Demo Bank', status: 'ACTIVE' };
  const put = { method: 'PUT', path: `/internal/merchants/${merchantId}`, body };
  accepted('the merchant', await platform.operator('notification-config', put));
}

/** A new merchant, ACTIVE, owned by psp-1, with an account to sign in with. */
export async function makeMerchant(platform: PlatformConnection): Promise<Merchant> {
  const merchantId = randomInt(1_000_000, 2 ** 47);
  await saveMerchant(platform, merchantId);
  const credentials = await newAccount(platform, { type: 'MERCHANT', id: merchantId });
  return new Merchant(platform, { merchantId, credentials, psp: platform.account('psp-1') });
}

const portalWithinMs = 240_000;

/** Starts the portal of `npm start`, which sleeps until its first call; until it is there the gateway may lose its patience, and say 503. */
export async function wakePortal(platform: PlatformConnection): Promise<void> {
  const giveUpAt = performance.now() + portalWithinMs;
  for (;;) {
    const answer = await platform.gateway({ method: 'GET', path: '/console/api/session' });
    if (answer.status !== 503 || performance.now() > giveUpAt) return void accepted('the portal', answer);
    await pause(200);
  }
}
