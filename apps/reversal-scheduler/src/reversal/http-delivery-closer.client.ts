import type { InternalClient } from '@paycode/access';
import { type CloseAnswer, type CloseItem, verdictKinds } from '@paycode/dto';
import { DeliveryCloser } from './reversal.ports';

const answers: ReadonlySet<string> = new Set([...verdictKinds, 'OPEN']);

/** The dispatcher's answer breaks the contract. The client treats it as no answer, never as a verdict. */
export class MalformedCloseAnswerError extends Error {
  override readonly name = 'MalformedCloseAnswerError';
}

/** `POST webhook-dispatcher /internal/deliveries/close`. */
export class HttpDeliveryCloserClient extends DeliveryCloser {
  constructor(private readonly client: InternalClient) {
    super();
  }

  override async close(items: readonly CloseItem[]): Promise<CloseAnswer[]> {
    const body = await this.client.post<unknown>('/internal/deliveries/close', items);
    if (!Array.isArray(body)) throw new MalformedCloseAnswerError('the answer of close is not a list');
    // A malformed item counts as no answer: the timer of that payment asks again, and the other payments continue (T-29).
    return body.filter(isCloseAnswer);
  }
}

function isCloseAnswer(value: unknown): value is CloseAnswer {
  const answer = value as Partial<CloseAnswer> | null;
  return Number.isSafeInteger(answer?.transactionId) && answers.has(answer?.verdict as string);
}
