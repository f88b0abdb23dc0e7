import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerJson, FakeServer } from '@paycode/service-runtime/testing';
import type { MerchantRecord, Route } from '@paycode/dto';

/** notification-config's two internal calls over real HTTP, from maps. */
export class FakeNotificationConfig extends FakeServer {
  readonly merchants = new Map<number, MerchantRecord>();
  /** Notification URL by merchant. */
  readonly urls = new Map<number, string>();
  /** It answers every call with 500. */
  isBroken = false;

  merchant(merchantId: number, over: Partial<MerchantRecord> = {}): void {
    const merchantName = `Merchant ${merchantId}`;
    this.merchants.set(merchantId, { merchantId, merchantName, pspId: 1, acquirer: 'Bank One', status: 'ACTIVE', ...over });
  }

  protected override handle({ url }: IncomingMessage, response: ServerResponse, body: string): void {
    const answer = url === '/internal/routes' ? this.routes(body) : this.merchants.get(Number(url?.split('/').at(-1)));
    answerJson(response, answer ?? {}, this.isBroken ? 500 : answer ? 200 : 404);
  }

  private routes(body: string): Partial<Route>[] {
    const { merchantIds } = JSON.parse(body) as { merchantIds: number[] };
    return merchantIds.map(merchantId => ({ merchantId, url: this.urls.get(merchantId) ?? null }));
  }
}
