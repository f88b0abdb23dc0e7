import type { Route } from '@paycode/dto';

/** Opens stored payloads and makes webhook bodies. Synchronous: keys are in memory. */
export abstract class WebhookSealer {
  /** The request body and the value of `X-Webhook-Encryption`. @throws when payload or key cannot be opened */
  abstract bodyOf(payload: string, route: Route): { body: string; encryption: string };
}

/** Events of one request on the wire, in order; exactly one of `answered` and `failed` ends it. */
export interface PostObserver {
  /** The last byte of the request was handed to the socket (P-T1, A-05). */
  sent(): void;
  /** The final status line and headers are parsed; interim 1xx never come here. */
  answered(status: number): void;
  failed(fault: PostFault): void;
}

export interface PostFault {
  code: string;
  /** EMFILE, EADDRNOTAVAIL, EAI_AGAIN, … (P-T8). */
  isOurs: boolean;
  /** The pooled socket had served before and not one byte of the answer arrived (P-T7). */
  isStaleSocket: boolean;
}

export interface WebhookRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
  /** Use no pooled socket (P-T7). */
  onFreshSocket: boolean;
}

/** Sends one POST. It handles sockets and knows no rules of the protocol. */
export abstract class WebhookPoster {
  /** `done` fires when the socket is free or gone: at or after the end of the request. */
  abstract post(request: WebhookRequest, observer: PostObserver & { done(): void }): { abort(): void };
}
