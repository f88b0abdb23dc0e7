import type { InternalClient } from '@paycode/access';
import type { Route, RoutesRequest } from '@paycode/dto';
import { RecipientDirectory, type Recipients } from '../recipient-messages.ports';

const merchantsPerCallMax = 1_000;
const keptMax = 50_000;

/** Recipients as `POST notification-config /internal/routes` knows them, kept for the lease of the route. */
export class HttpRecipientDirectory extends RecipientDirectory {
  private readonly kept = new Map<number, Recipients & { untilMs: number }>();

  constructor(private readonly client: InternalClient) {
    super();
  }

  override async recipientsOf(merchantIds: readonly number[]): Promise<Map<number, Recipients>> {
    const unknown = merchantIds.filter(merchantId => !this.isKept(merchantId));
    for (let i = 0; i < unknown.length; i += merchantsPerCallMax) await this.read(unknown.slice(i, i + merchantsPerCallMax));
    return new Map(
      merchantIds.flatMap(merchantId => [[merchantId, this.kept.get(merchantId) ?? { emails: [], msisdns: [] }] as const]),
    );
  }

  private isKept(merchantId: number): boolean {
    const kept = this.kept.get(merchantId);
    return kept !== undefined && performance.now() < kept.untilMs;
  }

  private async read(merchantIds: number[]): Promise<void> {
    const askedMs = performance.now();
    const request: RoutesRequest = { merchantIds };
    const routes = await this.client.post<Route[]>('/internal/routes', request);
    if (this.kept.size + routes.length > keptMax) this.kept.clear();
    for (const { merchantId, emails, msisdns, leaseMs } of routes)
      this.kept.set(merchantId, { emails, msisdns, untilMs: askedMs + leaseMs });
  }
}
