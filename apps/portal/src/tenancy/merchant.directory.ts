import type { InternalClient } from '@paycode/access';
import type { MerchantRecord, MerchantSearch, PortalMerchantsRequest } from '@paycode/dto';
import { BoundedMap } from '@paycode/service-runtime/timing';

const keptMs = 3_000;
const keptMax = 1_000;

/** Merchants as notification-config knows them, kept for a moment: a page makes several calls. */
export class MerchantDirectory {
  private readonly kept = new BoundedMap<string, { merchants: Promise<MerchantRecord[]>; untilMs: number }>(keptMax);

  constructor(private readonly client: InternalClient) {}

  /** The smallest ids first, at most 1,000; by name at most 50. A change of a merchant is visible within seconds. */
  merchantsOf(owner: MerchantSearch): Promise<MerchantRecord[]> {
    const key = JSON.stringify(owner);
    const known = this.kept.get(key);
    if (known && performance.now() < known.untilMs) return known.merchants;
    const request: PortalMerchantsRequest = { owner };
    const merchants = this.client.post<MerchantRecord[]>('/internal/portal/merchants', request);
    this.kept.set(key, { merchants, untilMs: performance.now() + keptMs });
    // A failed read is not cached: the next caller asks again.
    merchants.catch(() => this.kept.delete(key));
    return merchants;
  }
}
