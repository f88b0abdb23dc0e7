import type { Channel, Recipients, TransactionNotificationV3 } from '@paycode/dto';
import type { NewMessage, QueuedMessage } from './domain/message';

/** The recipients of a merchant's messages. */
export abstract class RecipientDirectory {
  /**
   * Returns the recipients of every given merchant. Rejects when it cannot read them; with a DataFault when only those of some
   * merchant are missing.
   */
  abstract recipientsOf(merchantIds: readonly number[]): Promise<Map<number, Recipients>>;
}

/** The durable queue of messages. */
export abstract class MessageQueue {
  /** The messages are durable when it resolves. A message that exists already does not change. */
  abstract add(messages: readonly NewMessage[]): Promise<void>;
  /** Takes due messages. When the replica dies, its messages are due again after `leaseMs`. */
  abstract take(channel: Channel, limit: number, leaseMs: number): Promise<QueuedMessage[]>;
  /** Time until the next message of each channel is due, in milliseconds; a channel without waiting messages is left out. */
  abstract nextDueMs(channels: readonly Channel[]): Promise<Map<Channel, number>>;
  /** Sets the final state, and erases recipient and content. */
  abstract finish(messageId: string, state: 'SENT' | 'FAILED'): Promise<void>;
  abstract retryAfter(messageId: string, waitMs: number): Promise<void>;
  /** Messages that are not sent yet. */
  abstract waiting(): Promise<Map<Channel, number>>;
  /** Gives up messages older than `ageMsMax`, and deletes finished ones when no repeated event can queue them again. */
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
  /** The same for all tries. */
  reference: string;
}

/** Sends one message; resolves when the other side has accepted it. @throws SendError */
export abstract class MessageSender<Text> {
  abstract send(message: Sending<Text>): Promise<void>;
  abstract close(): Promise<void>;
}

/** Why a message was not sent. `code` names the kind of fault and contains no address. */
export class SendError extends Error {
  override readonly name = 'SendError';

  constructor(
    readonly code: string,
    /** Whether the other side will never accept it. */
    readonly isPermanent: boolean,
    cause?: unknown,
  ) {
    super(`message not sent: ${code}`, { cause });
  }
}
