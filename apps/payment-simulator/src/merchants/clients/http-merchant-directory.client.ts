import { InternalCallError, type InternalClient } from '@paycode/access';
import type { MerchantRecord, Route } from '@paycode/dto';
import { DomainError } from '@paycode/service-runtime';
import { MerchantDirectory } from '../merchants.ports';

const cacheMs = 5_000;
const cacheMax = 10_000;

/** Merchants of notification-config; records are kept for some seconds, routes never. */
export class HttpMerchantDirectoryClient extends MerchantDirectory {
  private readonly cache = new Map<number, { record: MerchantRecord; untilMs: number }>();

  constructor(private readonly client: InternalClient) {
    super();
  }

  override async find(merchantId: number): Promise<MerchantRecord | undefined> {
    const cached = this.cache.get(merchantId);
    if (cached && cached.untilMs > performance.now()) return cached.record;
    const record = await this.fetch(merchantId);
    this.cache.delete(merchantId);
    if (!record) return undefined;
    if (this.cache.size >= cacheMax) this.cache.delete(this.cache.keys().next().value!);
    this.cache.set(merchantId, { record, untilMs: performance.now() + cacheMs });
    return record;
  }

  override async hasNotificationUrl(merchantId: number): Promise<boolean> {
    const routes = await this.ask(() => this.client.post<Route[]>('/internal/routes', { merchantIds: [merchantId] }));
    return (routes ?? []).some(route => route.merchantId === merchantId && route.url !== null);
  }

  private fetch(merchantId: number): Promise<MerchantRecord | undefined> {
    return this.ask(() => this.client.get<MerchantRecord>(`/internal/merchants/${merchantId}`));
  }

  /** Undefined for a 404. @throws DomainError 503 when notification-config gives no usable answer */
  private async ask<T>(call: () => Promise<T>): Promise<T | undefined> {
    try {
      return await call();
    } catch (cause) {
      if (!(cause instanceof InternalCallError)) throw cause;
      if (cause.status === 404) return undefined;
      const headers = { 'retry-after': '1' };
      throw new DomainError({ status: 503, reason: 'MERCHANTS_UNAVAILABLE', message: 'Service Unavailable', headers, cause });
    }
  }
}
