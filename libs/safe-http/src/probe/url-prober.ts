import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { TLSSocket } from 'node:tls';
import http, { type AgentOptions, Agent as HttpAgent } from 'node:http';
import https, { Agent as HttpsAgent } from 'node:https';
import type { AxiosResponse } from 'axios';
import { ReadLimit } from '../dial/read-limit';
import type { DialOptions, DialTimings, OutboundGuard } from '../outbound-guard';
import { bareHostname, type OutboundTarget, requestTargetOf, targetOf } from '../policy/url-rules';
import { failureOfError, failureOfStatus, type ProbeFailure, type ProbeOutcome, type ProbeTimings } from './probe-outcome';

export interface GuardedAgentOptions extends DialOptions {
  guard: OutboundGuard;
  onDialled(socket: Socket, timings: DialTimings): void;
}

type Callback = (error: Error | null, socket?: Socket) => void;

/** An agent for Node's HTTP client whose connections the guard opens; connections are not reused. */
export function guardedAgent(protocol: OutboundTarget['protocol'], options: GuardedAgentOptions): HttpAgent | HttpsAgent {
  const agent = protocol === 'https:' ? new HttpsAgent({ keepAlive: false }) : new HttpAgent({ keepAlive: false });
  const createConnection = (request: AgentOptions & { host?: string; port?: number | string }, callback: Callback) => {
    const target = { protocol, hostname: bareHostname(request.host ?? ''), port: Number(request.port) };
    options.guard.dial(target, options).then(
      ({ socket, timings }) => {
        options.onDialled(socket, timings);
        callback(null, socket);
      },
      (error: Error) => callback(error),
    );
  };
  return Object.assign(agent, { createConnection });
}

export interface ProbeLimits {
  /** One deadline over everything, in milliseconds. */
  totalMs: number;
  /** Budget of name look-up, TCP and TLS inside it, in milliseconds. */
  connectMs: number;
  /** Response bytes read before the connection is dropped. */
  bodyBytesMax: number;
}

/** Decision "URL validation window": 10 s in all, connect 3 s, body read up to 1 KiB then dropped. */
export const probeLimits: ProbeLimits = { totalMs: 10_000, connectMs: 3_000, bodyBytesMax: 1_024 };

/** The message that a probe POSTs. */
export interface ProbeMessage {
  /** As it is sent. */
  body: string;
  /** Beside those of every probe; names in lower case, `content-type` among them. */
  headers: Readonly<Record<string, string>>;
  /** Whether its connection shows the platform's certificate. Default: no. */
  showsCertificate?: boolean;
  /** A shorter deadline than that of the limits, in milliseconds. */
  totalMs?: number;
}

interface Progress {
  startedAt: number;
  dialled: DialTimings | null;
  connectedAt: number | null;
  answeredAt: number | null;
  certificateExpiresAt: string | null;
  status: number | null;
}

/**
 * Sends one POST and returns the result. It makes one attempt, follows no redirect, decompresses nothing and returns no byte of the answer.
 * Node limits the header fields to 16 KiB, and a ReadLimit limits the whole answer. It never throws because of the receiver.
 */
export class UrlProber {
  constructor(
    private readonly guard: OutboundGuard,
    private readonly userAgent: string,
  ) {}

  /** A body of JSON. */
  probe(url: string, body: object, limits: ProbeLimits = probeLimits): Promise<ProbeOutcome> {
    return this.send(url, { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }, limits);
  }

  async send(url: string, message: ProbeMessage, limits: ProbeLimits = probeLimits): Promise<ProbeOutcome> {
    const progress: Progress = {
      startedAt: performance.now(),
      dialled: null,
      connectedAt: null,
      answeredAt: null,
      certificateExpiresAt: null,
      status: null,
    };
    const verdict = this.guard.checkUrl(url);
    if (!verdict.ok) return outcomeOf(progress, { reason: 'not allowed', detail: 'NOT_ALLOWED' });
    const signal = AbortSignal.timeout(Math.min(limits.totalMs, message.totalMs ?? limits.totalMs));
    try {
      const answer = await this.post({ url: verdict.url, path: requestTargetOf(url) }, message, { limits, signal, progress });
      progress.answeredAt = performance.now();
      progress.status = answer.status;
      await dropBody(answer.data, limits.bodyBytesMax);
      return outcomeOf(progress, failureOfStatus(answer.status));
    } catch (error) {
      return outcomeOf(progress, failureOf(error, signal, progress));
    }
  }

  private async post(
    { url, path }: { url: URL; path: string },
    { body, headers, showsCertificate }: ProbeMessage,
    { limits, signal, progress }: { limits: ProbeLimits; signal: AbortSignal; progress: Progress },
  ): Promise<AxiosResponse<Readable>> {
    const agent = guardedAgent(targetOf(url).protocol, {
      guard: this.guard,
      connectTimeoutMs: limits.connectMs,
      showsCertificate,
      onDialled: (socket, timings) => {
        ReadLimit.on(socket);
        noteConnection(progress, socket, timings);
      },
    });
    const { request } = url.protocol === 'https:' ? https : http;
    // With the first probe: who only dials through the guard never needs its 3 MiB.
    const { default: axios } = await import('axios');
    return axios.request<Readable>({
      method: 'post',
      url: url.href,
      data: body,
      headers: { ...headers, 'user-agent': this.userAgent, accept: '*/*', 'accept-encoding': 'identity' },
      transport: { request: (options: object, onAnswer: () => void) => request({ ...options, path }, onAnswer) },
      httpAgent: agent,
      httpsAgent: agent,
      proxy: false,
      maxRedirects: 0,
      decompress: false,
      responseType: 'stream',
      validateStatus: () => true,
      signal,
    });
  }
}

function noteConnection(progress: Progress, socket: Socket, timings: DialTimings): void {
  progress.dialled = timings;
  progress.connectedAt = performance.now();
  if (!(socket instanceof TLSSocket)) return;
  const expiry = Date.parse(socket.getPeerCertificate().valid_to);
  progress.certificateExpiresAt = Number.isNaN(expiry) ? null : new Date(expiry).toISOString();
}

/** Ignores errors of the body, because the status line has decided the result. */
function dropBody(body: Readable, bytesMax: number): Promise<void> {
  return new Promise(resolve => {
    let bytes = 0;
    body.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes >= bytesMax) body.destroy();
    });
    body.once('error', () => resolve()).once('close', () => resolve());
  });
}

function failureOf(error: unknown, signal: AbortSignal, progress: Progress): ProbeFailure {
  const isConnected = progress.connectedAt !== null;
  if (isConnected && signal.aborted) return { reason: 'did not return 200', detail: 'NO_ANSWER_IN_TIME' };
  return failureOfError(error, isConnected);
}

function outcomeOf(progress: Progress, failure: ProbeFailure | null): ProbeOutcome {
  return {
    isAccepted: failure === null,
    ...(failure ?? { reason: null, detail: null }),
    status: progress.status,
    timings: timingsOf(progress),
    certificateExpiresAt: progress.certificateExpiresAt,
  };
}

function timingsOf({ startedAt, dialled, connectedAt, answeredAt }: Progress): ProbeTimings {
  return {
    dnsMs: rounded(dialled?.dnsMs),
    connectMs: rounded(dialled?.connectMs),
    tlsMs: rounded(dialled?.tlsMs),
    firstByteMs: connectedAt !== null && answeredAt !== null ? rounded(answeredAt - connectedAt) : null,
    totalMs: rounded(performance.now() - startedAt)!,
  };
}

/** Tenths of a millisecond. */
function rounded(ms: number | null | undefined): number | null {
  return ms === null || ms === undefined ? null : Math.round(ms * 10) / 10;
}
