import type { Channel, Recipients, TransactionNotificationV3 } from '@paycode/dto';
import type { NewMessage, QueuedMessage } from './domain/message';

/** Who is told of a merchant's transactions. */
export abstract class RecipientDirectory {
  /** For every merchant asked for. Rejects when it cannot be known; with a DataFault when only that of some merchant cannot. */
  abstract recipientsOf(merchantIds: readonly number[]): Promise<Map<number, Recipients>>;
}

/** The durable queue of messages. */
export abstract class MessageQueue {
  /** Durable when it resolves; a message that is known already is left as it is. */
  abstract add(messages: readonly NewMessage[]): Promise<void>;
  /** Takes messages that are due; one whose taker dies comes again after `leaseMs`. */
  abstract take(channel: Channel, limit: number, leaseMs: number): Promise<QueuedMessage[]>;
  /** Forgets recipient and content. */
  abstract finish(messageId: string, state: 'SENT' | 'FAILED'): Promise<void>;
  abstract retryAfter(messageId: string, waitMs: number): Promise<void>;
  /** Messages that are not sent yet. */
  abstract waiting(): Promise<Map<Channel, number>>;
  /** Gives up messages older than `ageMsMax`, and drops finished ones once no event can bring them again. */
  abstract tidy(ageMsMax: number): Promise<void>;
}

/** RETRY: it will be tried again. */
export type MessageOutcome = 'SENT' | 'FAILED' | 'RETRY';

export abstract class MessageMetrics {
  abstract tried(channel: Channel, outcome: MessageOutcome): void;
}

/** Opens the sealed notification of a message. @throws when it cannot be opened */
export abstract class NotificationOpener {
  abstract open(payload: string): TransactionNotificationV3;
}

export interface Sending<Text> {
  recipient: string;
  text: Text;
  /** Stable over tries. */
  reference: string;
}

/** Hands one message over; resolves when the other side has taken it. @throws SendError */
export abstract class MessageSender<Text> {
  abstract send(message: Sending<Text>): Promise<void>;
  abstract close(): Promise<void>;
}

/** Why a message did not leave. `code` names the kind of fault and holds no address. */
export class SendError extends Error {
  override readonly name = 'SendError';

  constructor(
    readonly code: string,
    /** The other side will never take it. */
    readonly isPermanent: boolean,
    cause?: unknown,
  ) {
    super(`message not sent: ${code}`, { cause });
  }
}
