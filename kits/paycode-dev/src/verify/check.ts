import type { Connections, Endpoint, Exchange } from '../transport/exchange';
import type { Notification, NotificationMaker } from '../webhook/notification-maker';

/** `skip`: was not tried, and why stands in the reason. */
export type Verdict = 'pass' | 'warn' | 'fail' | 'skip';

export interface Finding {
  verdict: Verdict;
  /** A sentence for people: neither body nor key is in it. */
  reason: string;
}

export interface Check {
  /** Stable: reports and the page of documentation name it. */
  id: string;
  title: string;
  /** Heading of docs/how-to/check-a-receiver.md. */
  section: string;
  /** When it fails, the checks after it would tell nothing: they are skipped, for this reason. */
  stopsWith?: string;
  run(subject: Subject): Promise<Finding> | Finding;
}

export interface DeliveryOptions {
  attempt?: number;
  key?: Buffer;
  connections?: Connections;
}

/** The receiver under test, and what checks need to try it. */
export interface Subject {
  endpoint: Endpoint;
  maker: NotificationMaker;
  key: Buffer;
  /** The key of a renewal, when one was given. */
  newKey?: Buffer;
  /** Milliseconds of every notification that was answered. */
  times: number[];
  /** Flaws of the answers so far. */
  flaws: Exchange['flaw'][];
  /** The first notification that was accepted. */
  first?: Notification;
  /** Posts a notification, sealed. */
  deliver(notification: Notification, options?: DeliveryOptions): Promise<Exchange>;
  /** Posts a body as it is, in the place of a notification. */
  deliverBody(body: string): Promise<Exchange>;
}

export const pass = (reason: string): Finding => ({ verdict: 'pass', reason });
export const warn = (reason: string): Finding => ({ verdict: 'warn', reason });
export const fail = (reason: string): Finding => ({ verdict: 'fail', reason });
export const skip = (reason: string): Finding => ({ verdict: 'skip', reason });
