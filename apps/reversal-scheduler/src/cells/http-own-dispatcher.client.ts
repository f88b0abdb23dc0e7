import type { InternalClient } from '@paycode/access';
import { cellRoutes, type CellViewAnswer } from '@paycode/dto';
import type { OwnDispatcher } from './own-cell';

const keptMsMax = 1_000;

/** `GET webhook-dispatcher /internal/cells/view`. An answer is kept for less time than the audit waits: it was given after every event that it decides about was published. */
export class HttpOwnDispatcherClient implements OwnDispatcher {
  private readonly keptMs: number;
  private asked?: { atMs: number; answer: Promise<CellViewAnswer> };

  constructor(
    private readonly client: Pick<InternalClient, 'get'>,
    auditDelayMs: number,
  ) {
    this.keptMs = Math.min(keptMsMax, auditDelayMs / 2);
  }

  view(): Promise<CellViewAnswer> {
    const nowMs = performance.now();
    if (this.asked && nowMs - this.asked.atMs < this.keptMs) return this.asked.answer;
    const answer = this.client.get<unknown>(cellRoutes.view.path).then(cellRoutes.view.read);
    this.asked = { atMs: nowMs, answer };
    answer.catch(() => (this.asked = undefined));
    return answer;
  }
}
