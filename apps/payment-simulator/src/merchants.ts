import { Injectable } from '@nestjs/common';
import { InternalCallError, type InternalClient } from '@paycode/access';
import type { Identity, MerchantRecord, Route } from '@paycode/dto';
import { DomainError, invalidField } from '@paycode/service-runtime';
import { BoundedMap } from '@paycode/service-runtime/timing';

const cacheMs = 5_000;
const cacheMax = 10_000;

/** Merchants of notification-config; records are kept for some seconds, routes never. */
export class MerchantDirectory {
  private readonly cache = new BoundedMap<number, { record: MerchantRecord; untilMs: number }>(cacheMax);

  constructor(private readonly client: InternalClient) {}

  /** undefined: no such merchant. May be a few seconds old. */
  async find(merchantId: number): Promise<MerchantRecord | undefined> {
    const cached = this.cache.get(merchantId);
    if (cached && cached.untilMs > performance.now()) return cached.record;
    const record = await this.fetch(merchantId);
    this.cache.delete(merchantId);
    if (!record) return undefined;
    this.cache.set(merchantId, { record, untilMs: performance.now() + cacheMs });
    return record;
  }

  /** Whether a notification URL is set now. */
  async hasNotificationUrl(merchantId: number): Promise<boolean> {
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

/** Flow: caller -> the merchants that it may act for. A merchant acts for itself, a PSP for its own merchants. */
@Injectable()
export class MerchantAccess {
  constructor(private readonly directory: MerchantDirectory) {}

  /**
   * The merchant that a caller acts for: itself, or for a PSP the named one.
   * @throws DomainError 400 `Invalid 'merchantId'` for an unknown merchant and for one of another PSP
   */
  async actingFor(caller: Identity, merchantId: number | undefined): Promise<MerchantRecord> {
    if (caller.accountType === 'PSP' && merchantId === undefined) throw invalidField('merchantId', 'is required for a PSP');
    const wanted = caller.accountType === 'MERCHANT' ? (merchantId ?? caller.ownerId) : merchantId;
    const merchant = wanted ? await this.directory.find(wanted) : undefined;
    if (!merchant || !isOwner(caller, merchant))
      throw new DomainError({ status: 400, reason: 'NOT_OWNER', message: "Invalid 'merchantId'" });
    return merchant;
  }

  /** Whether the caller may read data of the merchant. */
  async maySee(caller: Identity, merchantId: number): Promise<boolean> {
    if (caller.accountType === 'MERCHANT') return caller.ownerId === merchantId;
    const merchant = await this.directory.find(merchantId);
    return merchant !== undefined && isOwner(caller, merchant);
  }
}

function isOwner(caller: Identity, merchant: MerchantRecord): boolean {
  if (caller.ownerId === null) return false;
  if (caller.accountType === 'MERCHANT') return caller.ownerId === merchant.merchantId;
  return caller.accountType === 'PSP' && caller.ownerId === merchant.pspId;
}
