import type { Decision, Route } from '@paycode/dto';
import type { AttemptOutcome, Delivery } from './delivery';

/** Every answer of a stage to the question what happens to a delivery next. `delivery`: its state after the stage. */
export type NextStep =
  /** An open delivery was found in the database: make this attempt. */
  | { readonly next: 'ATTEMPT'; readonly attempt: number }
  /** An open delivery was found in the database: record this verdict, without another attempt. */
  | { readonly next: 'CLOSE'; readonly kind: 'CLOSED_EXHAUSTED' | 'CLOSED_BACKSTOP' }
  /** The attempt has a connection, and is claimed and armed: make the last check. */
  | { readonly next: 'CHECK'; readonly delivery: Delivery; readonly connection: Connection }
  /** The attempt is claimed and armed, and its receiver cannot be reached: conclude it without a request. */
  | { readonly next: 'UNREACHABLE'; readonly delivery: Delivery; readonly code: string }
  /** The lease of the route has run out: read the route again, and repeat the last check. */
  | { readonly next: 'RENEW' }
  /** Everything is valid now: start the POST in the same turn of the event loop. */
  | { readonly next: 'POST'; readonly route: Route }
  /** The request is under way: wait for its outcome, and conclude it. */
  | { readonly next: 'AWAIT'; readonly delivery: Delivery; readonly post: PostUnderWay }
  /** The merchant's webhook is at another endpoint than the one whose slot was granted: wait in the queue of that endpoint. */
  | { readonly next: 'REQUEUE'; readonly delivery: Delivery }
  /** The merchant has no webhook: the payment is settled without a POST. */
  | { readonly next: 'NO_WEBHOOK'; readonly delivery: Delivery }
  /** The scheduler has decided: record a verdict that agrees with it, without a POST. */
  | { readonly next: 'DECIDED'; readonly delivery: Delivery; readonly decision: Decision }
  /** The platform has a fault, and no request has started: hold the delivery back until B (A-12, P-T8). `error`: what was thrown, if anything was. */
  | { readonly next: 'HOLD_BACK'; readonly delivery: Delivery; readonly error?: unknown }
  /** There is no verdict yet: wait a little for the next try. */
  | { readonly next: 'RETRY_LATER'; readonly delivery: Delivery }
  /** It is acknowledged already, or its shard has another owner or epoch: its present owner, perhaps this replica again, looks for it. */
  | { readonly next: 'FENCED' }
  /** Nothing is left to do. */
  | { readonly next: 'OVER' };

/** The members that one stage answers, by name. */
export type Next<Step extends NextStep['next']> = Extract<NextStep, { next: Step }>;

/** An open connection to the endpoint of one delivery. It is for its request alone, until the request starts or the connection is given back. */
export interface Connection {
  /** No request will start on it: it serves another delivery. */
  giveBack(): void;
}

/** A request that has started. */
export interface PostUnderWay {
  readonly outcome: Promise<AttemptOutcome>;
  /** Resolves when the socket is free for another request or gone. */
  readonly freed: Promise<void>;
}
