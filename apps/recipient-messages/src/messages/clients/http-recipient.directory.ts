import type { InternalClient } from '@paycode/access';
import type { Recipients, Route, RoutesRequest } from '@paycode/dto';
import { DataFault } from '@paycode/persistence';
import { RecipientDirectory } from '../messages.ports';

const merchantsPerCallMax = 1_000;
const keptMax = 50_000;

/** Recipients from `POST notification-config /internal/routes`, kept for the lease of the route. */
export class HttpRecipientDirectory extends RecipientDirectory {
  private readonly kept = new Map<number, { recipients: Recipients; untilMs: number }>();

  constructor(private readonly client: InternalClient) {
    super();
  }

  override async recipientsOf(merchantIds: readonly number[]): Promise<Map<number, Recipients>> {
    const answered = new Map<number, Recipients>(merchantIds.flatMap(merchantId => this.keptOf(merchantId)));
    const unknown = merchantIds.filter(merchantId => !answered.has(merchantId));
    for (let i = 0; i < unknown.length; i += merchantsPerCallMax)
      for (const route of await this.read(unknown.slice(i, i + merchantsPerCallMax)))
        answered.set(route.merchantId, route.recipients);
    // A missing answer does not mean "no recipients": the event of that merchant is parked and not skipped (T-29).
    if (merchantIds.some(merchantId => !answered.has(merchantId)))
      throw new DataFault('the answer lacks the recipients of a merchant');
    return answered;
  }

  private keptOf(merchantId: number): [number, Recipients][] {
    const kept = this.kept.get(merchantId);
    return kept !== undefined && performance.now() < kept.untilMs ? [[merchantId, kept.recipients]] : [];
  }

  private async read(merchantIds: number[]): Promise<Route[]> {
    const askedMs = performance.now();
    const request: RoutesRequest = { merchantIds };
    const routes = await this.client.post<Route[]>('/internal/routes', request);
    if (this.kept.size + routes.length > keptMax) this.kept.clear();
    for (const { merchantId, recipients, leaseMs } of routes)
      this.kept.set(merchantId, { recipients, untilMs: askedMs + leaseMs });
    return routes;
  }
}
