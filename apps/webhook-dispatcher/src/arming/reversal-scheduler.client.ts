import type { InternalClient } from '@paycode/access';
import type { AckTokens } from '@paycode/crypto';
import type { ArmAnswer, ArmItem, Decision, SettleItem } from '@paycode/dto';

/** The reversal-scheduler. Calls reject when their effect is unknown; all are idempotent. */
export abstract class ReversalScheduler {
  /**
   * Resolves after the jobs are durable (P-I5). A decision in the answer means: do not POST. A payment without an answer is
   * not armed.
   */
  abstract arm(items: readonly ArmItem[]): Promise<Map<number, Decision | null>>;
  abstract settle(items: readonly SettleItem[]): Promise<void>;
}

/** The scheduler did not arm: a fault of the platform (P-T8). */
export class ArmUnavailableError extends Error {
  override readonly name = 'ArmUnavailableError';
  readonly code = 'ARM_UNAVAILABLE';
}

/** The scheduler's answer breaks the contract; the client treats it as no answer. */
export class MalformedArmAnswerError extends Error {
  override readonly name = 'MalformedArmAnswerError';
  readonly code = 'ARM_ANSWER';
}

/** `POST reversal-scheduler /internal/reversals/arm` and `/settle`. */
export class HttpReversalSchedulerClient extends ReversalScheduler {
  constructor(
    private readonly client: InternalClient,
    private readonly tokens: Pick<AckTokens, 'hashOf'>,
  ) {
    super();
  }

  override async arm(items: readonly ArmItem[]): Promise<Map<number, Decision | null>> {
    const proven = items.map(item => ({ ...item, ackTokenHash: this.tokens.hashOf(item.transactionId) }));
    const answers = await this.client.post<ArmAnswer[]>('/internal/reversals/arm', proven).catch((cause: unknown) => {
      throw new ArmUnavailableError('reversal-scheduler does not arm', { cause });
    });
    if (!Array.isArray(answers)) throw new MalformedArmAnswerError('the answer of arm is not a list');
    // A malformed item counts as no answer: that payment is not armed, the others are (T-29).
    return new Map(answers.filter(isArmAnswer).map(answer => [answer.transactionId, answer.decision]));
  }

  override async settle(items: readonly SettleItem[]): Promise<void> {
    await this.client.post('/internal/reversals/settle', items);
  }
}

function isArmAnswer(answer: unknown): answer is ArmAnswer {
  const { transactionId, decision } = (answer ?? {}) as Partial<ArmAnswer>;
  return Number.isSafeInteger(transactionId) && (decision === null || decision === 'SETTLED' || decision === 'REVERSED');
}
