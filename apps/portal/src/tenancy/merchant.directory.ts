import type { InternalClient } from '@paycode/access';
import type { MerchantOwner, MerchantPage, MerchantPageRequest, MerchantRecord, MerchantSearch, OldKey } from '@paycode/dto';
import type { Logger } from '@paycode/service-runtime';
import { BoundedMap } from '@paycode/service-runtime/timing';
import { orSilent } from '../neighbours';

const keptMs = 3_000;
const keptMax = 1_000;
const nameKeptMs = 60_000;
const namesMax = 20_000;
/** Of one call. */
const idsMax = 1_000;

export type Named<T> = T & { merchantName: string | null };

/** Merchants as notification-config knows them, kept for a moment: a page makes several calls. A change is visible within seconds. */
export class MerchantDirectory {
  private readonly kept = new BoundedMap<string, { answer: Promise<unknown>; untilMs: number }>(keptMax);
  private readonly names = new BoundedMap<number, { merchantName: string | null; untilMs: number }>(namesMax);

  constructor(
    private readonly client: InternalClient,
    private readonly log: Logger,
  ) {}

  /** The smallest first, at most 10,000. */
  idsOf(owner: MerchantOwner): Promise<number[]> {
    return this.ask('/ids', { owner });
  }

  /** By name. */
  page(request: MerchantPageRequest): Promise<MerchantPage> {
    return this.ask('/page', request);
  }

  /** The smallest ids first; by name at most 50. */
  search(owner: MerchantSearch): Promise<MerchantRecord[]> {
    return this.ask('', { owner });
  }

  /** Merchants whose key is older than a year. */
  oldKeys(): Promise<OldKey[]> {
    return this.client.get<OldKey[]>('/internal/portal/merchants/old-keys');
  }

  async find(merchantId: number): Promise<MerchantRecord | undefined> {
    return (await this.search({ merchantIds: [merchantId] }))[0];
  }

  /** A name is at most a minute old; null: there is no such merchant, or notification-config did not answer. */
  async withNames<T extends { merchantId: number }>(rows: readonly T[]): Promise<Named<T>[]> {
    const nowMs = performance.now();
    const isOld = (merchantId: number) => (this.names.get(merchantId)?.untilMs ?? 0) < nowMs;
    const missing = [...new Set(rows.map(({ merchantId }) => merchantId))].filter(isOld);
    for (let from = 0; from < missing.length; from += idsMax) await this.readNames(missing.slice(from, from + idsMax));
    return rows.map(row => ({ ...row, merchantName: this.names.get(row.merchantId)?.merchantName ?? null }));
  }

  private async readNames(merchantIds: number[]): Promise<void> {
    const found = await orSilent(this.search({ merchantIds }), { name: 'notification-config', silent: [], log: this.log });
    if (!found) return;
    const names = new Map(found.map(({ merchantId, merchantName }) => [merchantId, merchantName]));
    const untilMs = performance.now() + nameKeptMs;
    for (const merchantId of merchantIds) this.names.set(merchantId, { merchantName: names.get(merchantId) ?? null, untilMs });
  }

  private ask<T>(path: string, request: object): Promise<T> {
    const key = path + JSON.stringify(request);
    const known = this.kept.get(key);
    if (known && performance.now() < known.untilMs) return known.answer as Promise<T>;
    const answer = this.client.post<T>(`/internal/portal/merchants${path}`, request);
    this.kept.set(key, { answer, untilMs: performance.now() + keptMs });
    // A failed read is not cached: the next caller asks again.
    answer.catch(() => this.kept.delete(key));
    return answer;
  }
}
