import { Injectable } from '@nestjs/common';
import { InternalCallError, type InternalClient } from '@paycode/access';
import type { Identity, MerchantRecord, Route, RoutesRequest } from '@paycode/dto';
import { DomainError, invalidField } from '@paycode/service-runtime';
import { LeasedReads } from '@paycode/service-runtime/timing';

const freshMs = 5_000;
/** So long a record is used while a read renews it: notification-config may be busy, and completions need the record. */
const staleMs = 25_000;
const recordsMax = 10_000;
const merchantsPerCallMax = 1_000;

/** Merchants of notification-config; records are kept for some seconds, routes never. Callers that ask for a merchant at once share the call. */
export class MerchantDirectory {
  private readonly records = new LeasedReads<number, MerchantRecord | undefined>({
    read: async ([merchantId]) => {
      const value = await this.ask(() => this.client.get<MerchantRecord>(`/internal/merchants/${merchantId!}`));
      return new Map([[merchantId!, { value, leaseMs: value ? freshMs : 0 }]]);
    },
    nowMs: () => performance.now(),
    keysPerRead: 1,
    readsMax: 16,
    keptMax: recordsMax,
    staleMs,
  });
  private readonly urls = new LeasedReads<number, boolean>({
    read: async merchantIds => {
      const request: RoutesRequest = { merchantIds: [...merchantIds] };
      const routes = (await this.ask(() => this.client.post<Route[]>('/internal/routes', request))) ?? [];
      const notified = new Set(routes.filter(({ url }) => url !== null).map(({ merchantId }) => merchantId));
      return new Map(merchantIds.map(merchantId => [merchantId, { value: notified.has(merchantId), leaseMs: 0 }]));
    },
    nowMs: () => performance.now(),
    keysPerRead: merchantsPerCallMax,
    readsMax: 4,
    keptMax: 1,
  });

  constructor(private readonly client: Pick<InternalClient, 'get' | 'post'>) {}

  /** undefined: no such merchant. May be half a minute old. @throws DomainError 503 */
  find(merchantId: number): Promise<MerchantRecord | undefined> {
    return this.records.current(merchantId);
  }

  /** Whether a notification URL is set now. @throws DomainError 503 */
  hasNotificationUrl(merchantId: number): Promise<boolean> {
    return this.urls.current(merchantId);
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
