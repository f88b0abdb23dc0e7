import type { ReversalState } from '@paycode/dto';
import { DomainError } from '@paycode/service-runtime';
import type { JobStore } from './reversal.ports';

/** Flow: transaction -> its job and decision, for operators. */
export class ReadReversal {
  constructor(private readonly jobs: JobStore) {}

  /** @throws DomainError 404 when the transaction was neither armed nor decided */
  async read(transactionId: number): Promise<ReversalState> {
    const state = await this.jobs.stateOf(transactionId);
    if (!state) throw new DomainError({ status: 404, reason: 'NO_REVERSAL', message: 'Not Found' });
    return state;
  }
}
