import { randomBytes } from 'node:crypto';
import { createServer, get, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TestTokenKeys } from '@paycode/access/testing';
import { generateWebhookKey, importWebhookKey, KeyRing, webhookEnvelope, webhookKeyAad, WebhookKeySealer } from '@paycode/crypto';
import { type MerchantRecord, noRecipients, type Route } from '@paycode/dto';

/** Secrets of a run, in the form of the services' environment. */
export interface ServiceSecrets {
  tokenKeys: TestTokenKeys;
  payloadKeys: string;
  keyEncryptionKeys: string;
}

/** Keys that services read from files lie in `folder`. */
export function makeSecrets(folder: string): ServiceSecrets {
  const ring = () => `k1:${randomBytes(32).toString('base64')}`;
  return { tokenKeys: new TestTokenKeys(folder), payloadKeys: ring(), keyEncryptionKeys: ring() };
}

const leaseMs = 1_000;

interface Merchant {
  url: string | null;
  key: string;
  keyId: string;
  status: MerchantRecord['status'];
}

/** notification-config's internal calls, with routes under a lease, for cases that must control it to the millisecond. */
export class ConfigStandIn {
  private readonly merchants = new Map<number, Merchant>();
  private readonly server: Server;
  private renewals = 0;
  private lastMerchant = 1_000;
  /** Of the routes: `away`: no connection; `silent`: no answer. The payment core goes on reading merchants. */
  state: 'up' | 'away' | 'silent' = 'up';
  /** A real notification-config, which has the map of cells. */
  mapUrl?: string;

  private constructor(private readonly sealer: WebhookKeySealer) {
    this.server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
      if (this.state !== 'up' && request.method === 'POST') return void (this.state === 'away' && request.socket.destroy());
      const { url, headers } = request;
      if (this.mapUrl && url === '/internal/cells')
        return void get(this.mapUrl + url, { headers }, map => map.pipe(response.writeHead(map.statusCode!, map.headers)));
      let body = '';
      request.setEncoding('utf8').on('data', (text: string) => (body += text));
      request.on('end', () => {
        const answer = request.method === 'POST' ? this.routes(body) : this.record(Number(request.url!.split('/').at(-1)));
        response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
      });
    });
  }

  static async start(keyEncryptionKeys: string): Promise<ConfigStandIn> {
    const standIn = new ConfigStandIn(new WebhookKeySealer(KeyRing.parse(keyEncryptionKeys)));
    await new Promise<void>(resolve => standIn.server.listen(0, '127.0.0.1', resolve));
    return standIn;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** A new merchant with a webhook at `url`. */
  addMerchant(url: string | null): number {
    const merchantId = ++this.lastMerchant;
    this.merchants.set(merchantId, { url, key: generateWebhookKey(), keyId: 'key-0', status: 'ACTIVE' });
    return merchantId;
  }

  setUrl(merchantId: number, url: string | null): void {
    this.merchants.get(merchantId)!.url = url;
  }

  suspend(merchantId: number): void {
    this.merchants.get(merchantId)!.status = 'SUSPENDED';
  }

  /** Resolves, as renewKey answers, when every lease of the former key has run out. Gives the former key. */
  async renewKey(merchantId: number): Promise<string> {
    const merchant = this.merchants.get(merchantId)!;
    const former = merchant.key;
    Object.assign(merchant, { key: generateWebhookKey(), keyId: `key-${++this.renewals}` });
    await new Promise(resolve => setTimeout(resolve, leaseMs));
    return former;
  }

  /** The body under the merchant's key of now, or under `key`; undefined when it does not open. */
  open(merchantId: number, body: string, key = this.merchants.get(merchantId)!.key): Record<string, unknown> | undefined {
    try {
      const text = webhookEnvelope('AES-128-GCM').decrypt(importWebhookKey(key), body).toString('utf8');
      return JSON.parse(text) as Record<string, unknown>;
    } catch {
      // Another key: that is the answer.
      return undefined;
    }
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise(resolve => this.server.close(resolve));
  }

  private routes(body: string): Route[] {
    const { merchantIds } = JSON.parse(body) as { merchantIds: number[] };
    return merchantIds.map(merchantId => this.routeOf(merchantId));
  }

  private routeOf(merchantId: number): Route {
    const { url, key, keyId } = this.merchants.get(merchantId) ?? { url: null, key: null, keyId: null };
    const sealedKey = key && this.sealer.seal(Buffer.from(key, 'hex'), webhookKeyAad(merchantId, keyId));
    const access = { sealedCredential: null, hasClientCertificate: false };
    const others = { ...access, recipients: noRecipients, encryption: 'AES-128-GCM' as const, version: 'V3', pspId: 1 };
    return { merchantId, url, sealedKey: url && sealedKey, keyId, leaseMs, ...others };
  }

  private record(merchantId: number): MerchantRecord {
    const { status } = this.merchants.get(merchantId)!;
    return { merchantId, merchantName: `Merchant ${merchantId}`, pspId: 1, acquirer: 'Bank One', status };
  }
}
