import type { RouteCache } from '../routes';

/** The endpoint of merchants without a URL is no endpoint. */
const noEndpoint = 'none';

/** Which endpoint the deliveries of a merchant go to, by its URL of now. */
export class MerchantEndpoints {
  constructor(private readonly routes: Pick<RouteCache, 'current' | 'lastOrigin'>) {}

  /** null: no URL is set, or it cannot be read now. */
  async of(merchantIds: readonly number[]): Promise<Map<number, string | null>> {
    const read = await Promise.allSettled(merchantIds.map(merchantId => this.routes.current(merchantId)));
    const endpoints = merchantIds.map((merchantId, at): [number, string | null] => {
      const origin = read[at]!.status === 'fulfilled' ? this.routes.lastOrigin(merchantId) : undefined;
      return [merchantId, origin === undefined || origin === noEndpoint ? null : origin];
    });
    return new Map(endpoints);
  }
}
