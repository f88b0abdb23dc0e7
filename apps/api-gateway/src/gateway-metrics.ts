import { counter, gauge, histogram } from '@paycode/service-runtime/metrics';

export interface RequestFacts {
  /** Service that answered, or `refused` / `gateway`. */
  route: string;
  method: string;
  status: number;
  durationS: number;
}

const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Metrics of the public listener. Labels come from fixed sets: nothing a client sends becomes a label. */
export class GatewayMetrics {
  private readonly requests = counter('paycode_api_gateway_requests_total', 'Requests answered on the public listener.', [
    'route',
    'method',
    'status',
  ]);
  // Without labels, so that it is 0 before the first one: an alert would not see the first failures of a series that begins with them.
  private readonly failures = counter(
    'paycode_api_gateway_requests_failed_total',
    'Requests answered with a status of 500 or more on the public listener.',
  );
  private readonly durations = histogram(
    'paycode_api_gateway_request_duration_seconds',
    'Time from the request header to the end of the answer.',
    { labelNames: ['route'], buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25] },
  );
  private readonly refusals = counter(
    'paycode_api_gateway_connections_refused_total',
    'Connections refused before a request was read.',
    ['reason'],
  );
  private readonly openBodies = gauge('paycode_api_gateway_open_bodies', 'Request bodies that are not complete yet.');
  private readonly readerRefusals = counter(
    'paycode_api_gateway_readers_refused_total',
    'Clients cut off because of how they read their answer, or refused a live stream.',
    ['reason'],
  );
  private readonly heldBytes = gauge(
    'paycode_api_gateway_answer_bytes_held',
    'Bytes of answers that clients have not taken yet.',
  );
  private readonly inFlight = gauge('paycode_api_gateway_requests_in_flight', 'Requests in progress on the public listener.');
  private readonly certificateExpiry = gauge(
    'paycode_api_gateway_certificate_not_after_timestamp_seconds',
    'Unix time at which the certificate in use ends.',
  );

  requestStarted(): void {
    this.inFlight.inc();
  }

  requestEnded({ route, method, status, durationS }: RequestFacts): void {
    this.inFlight.dec();
    this.requests.inc({ route, method: knownMethods.has(method) ? method : 'other', status });
    if (status >= 500) this.failures.inc();
    this.durations.observe({ route }, durationS);
  }

  connectionRefused(reason: ConnectionRefusal): void {
    this.refusals.inc({ reason });
  }

  bodiesOpen(count: number): void {
    this.openBodies.set(count);
  }

  readerRefused(reason: ReaderRefusal): void {
    this.readerRefusals.inc({ reason });
  }

  answerBytesHeld(bytes: number): void {
    this.heldBytes.set(bytes);
  }

  certificateInUse(notAfter: Date): void {
    this.certificateExpiry.set(notAfter.getTime() / 1_000);
  }
}

export type ConnectionRefusal =
  | 'plain-http'
  | 'silent'
  | 'address-limit'
  | 'malformed'
  | 'slow'
  | 'tls'
  | 'proxy-header'
  | 'pipelined'
  | 'body-address-limit'
  | 'body-limit'
  | 'body-slow';
/**
 * slow: took less than the least rate; buffers-full: the slowest one when all answers need too much memory; large-answers: the slowest one of too many answers
 * that keep a connection to a service; live-streams: one more than its address, its account or its service may have.
 */
export type ReaderRefusal = 'slow' | 'buffers-full' | 'large-answers' | 'live-streams';
