import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decryptWebhook } from './decrypt-webhook.ts';
import { makeMerchant, type Merchant } from './merchant.ts';
import type { PlatformConnection } from './platform-connection.ts';

/** The fields of a notification that a merchant reads. */
export interface Notification {
  transactionId: number;
  merchantId: number;
  reference: string;
  amount: number;
  currencyCode: string;
  status: string;
  referenceTransactionId: number;
  [field: string]: unknown;
}

export interface ReceivedWebhook {
  notification: Notification;
  /** The decrypted notification as text: its amounts are exact here, unlike parsed numbers. */
  plaintext: string;
  /** The body as received: base64 text. */
  body: string;
  headers: IncomingMessage['headers'];
  /** Status the receiver answered with. */
  answered: number;
}

const bodyCharsMax = 262_144;

/** A merchant's web server on this machine: answers the probe, decrypts notifications, acknowledges or not. */
export class MerchantReceiver {
  readonly received: ReceivedWebhook[] = [];
  /** The key that `addHttp` or `renewKey` gave. */
  encryptKey = '';
  /** Number of probes seen (`{"result":"TEST"}`). */
  probes = 0;
  /** Status to answer a notification with: 200 acknowledges it. */
  answer: (notification: Notification) => number | Promise<number> = () => 200;
  /** Status to answer a body with that the key does not open: a receiver cannot verify it, so it refuses it (R-6.2-7). */
  answerToUnopened = 400;
  private readonly server: Server;
  private readonly address: string;
  private waiting: (() => void)[] = [];

  private constructor(address: string) {
    this.address = address;
    // Without the catch, a client that breaks off in the middle of a body ends the process.
    this.server = createServer((request, response) => void this.handle(request, response).catch(() => request.destroy()));
  }

  /** `address`: where it listens; in a container network the platform does not reach 127.0.0.1. Any free port unless one is given. */
  static async start(address = '127.0.0.1', port = 0): Promise<MerchantReceiver> {
    const receiver = new MerchantReceiver(address);
    await new Promise<void>((resolve, reject) => {
      receiver.server.once('error', reject);
      receiver.server.listen(port, address, resolve);
    });
    return receiver;
  }

  get url(): string {
    return `http://${this.address}:${(this.server.address() as AddressInfo).port}/paycode`;
  }

  /** The first webhook that `matches`, received already or to come. Rejects after `withinMs`, by default two minutes. */
  async webhook(matches: (notification: Notification) => boolean, withinMs = 120_000): Promise<ReceivedWebhook> {
    const giveUp = AbortSignal.timeout(withinMs);
    for (;;) {
      const found = this.received.find(({ notification }) => matches(notification));
      if (found) return found;
      if (giveUp.aborted) throw new Error(`no such notification arrived within ${withinMs / 1_000} s`);
      await new Promise<void>(resolve => {
        this.waiting.push(resolve);
        giveUp.addEventListener('abort', () => resolve(), { once: true });
      });
    }
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise(resolve => this.server.close(resolve));
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await textOf(request);
    const status = isProbe(request, body) ? this.answerProbe() : await this.answerWebhook(body, request);
    response.writeHead(status).end();
    this.waiting.splice(0).forEach(wake => wake());
  }

  private answerProbe(): number {
    this.probes += 1;
    return 200;
  }

  private async answerWebhook(body: string, request: IncomingMessage): Promise<number> {
    let plaintext: string;
    try {
      plaintext = decryptWebhook(body, this.encryptKey);
    } catch {
      return this.answerToUnopened;
    }
    const notification = JSON.parse(plaintext) as Notification;
    const answered = await this.answer(notification);
    this.received.push({ notification, plaintext, body, headers: request.headers, answered });
    return answered;
  }
}

export interface MerchantWithReceiver {
  merchant: Merchant;
  receiver: MerchantReceiver;
}

/** A merchant whose notifications go to a receiver of this process. Stop the receiver afterwards. */
export async function makeMerchantWithReceiver(platform: PlatformConnection): Promise<MerchantWithReceiver> {
  const merchant = await makeMerchant(platform);
  const receiver = await MerchantReceiver.start();
  try {
    receiver.encryptKey = await merchant.addHttp(receiver.url);
  } catch (error) {
    await receiver.stop();
    throw error;
  }
  return { merchant, receiver };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) {
    if (text.length < bodyCharsMax) text += chunk as string;
  }
  return text;
}

function isProbe(request: IncomingMessage, body: string): boolean {
  return request.headers['content-type']?.startsWith('application/json') === true && body === '{"result":"TEST"}';
}
