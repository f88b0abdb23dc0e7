import { type Connections, type Endpoint, type Exchange, sentenceOf } from '../transport/exchange';
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

export const isAccepted = ({ status }: Exchange): boolean => status === 200;

/** E.g. `the answer was 500` or `no answer came in time`. */
export function outcomeOf({ status, failure }: Exchange): string {
  return failure === null ? `the answer was ${status}` : sentenceOf(failure);
}

const causes: [statuses: RegExp, usual: string][] = [
  [/^2/, 'Only 200 acknowledges a payment: answer exactly that, after your work is stored.'],
  [/^3/, 'Redirects are not followed: register the URL to which this one leads.'],
  [
    /^401$/,
    'A password is asked for: Paycode sends none, so let the path through without one. The encrypted body proves the sender.',
  ],
  [/^403$/, "A firewall or a check against forged forms (CSRF) refuses: exempt the path, and let Paycode's addresses through."],
  [/^40[45]$/, 'No route takes POST at this path: compare the path, and whether it ends with a slash.'],
  [/^415$/, 'A JSON parser stands in front: the body is base64 text, so mount the receiver before it.'],
  [/^50[24]$/, 'A proxy in front got no answer from the receiver: does it run, and at the port that the proxy knows?'],
];

/** Pass when it was answered 200, else fail with the usual cause of the status, or the advice. */
export function mustBeAccepted(exchange: Exchange, advice: string): Finding {
  if (isAccepted(exchange)) return pass(`200 after ${milliseconds(exchange.ms)}`);
  const usual = causes.find(([statuses]) => statuses.test(String(exchange.status)))?.[1];
  const place = exchange.location === null ? '' : ` It leads to ${exchange.location}.`;
  return fail(`${sentence(outcomeOf(exchange))}${place} ${usual ?? advice}`);
}

export function sentence(text: string): string {
  return `${text[0]!.toUpperCase()}${text.slice(1)}.`;
}

export function milliseconds(ms: number | null): string {
  return `${Math.round(ms ?? 0)} ms`;
}
