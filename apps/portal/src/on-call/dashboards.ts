import { dashboardLink } from './domain/dashboard-link';
import type { FoundTransaction } from './on-call.service';

/** The dashboards of Grafana that a page leads to; null: no Grafana is set, and nobody is led there. */
export class Dashboards {
  constructor(private readonly grafanaUrl: string | null) {}

  /** Of what somebody knows: null for a transaction of nobody. */
  linkOf(found: FoundTransaction): string | null {
    if (this.grafanaUrl === null || isOfNobody(found)) return null;
    return dashboardLink(this.grafanaUrl, found.transactionId, startOf(found));
  }
}

function isOfNobody({ known, delivery, reversal }: FoundTransaction): boolean {
  return !known && !delivery && !reversal;
}

function startOf({ known, delivery }: FoundTransaction): string | null {
  return delivery?.receivedAt ?? known?.completedAt ?? null;
}
