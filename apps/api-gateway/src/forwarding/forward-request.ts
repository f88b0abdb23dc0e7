import { normalisePath } from '@paycode/access';
import type { AuthorizeAnswer } from '@paycode/dto';
import { DomainError } from '@paycode/service-runtime';
import type { Readable } from 'node:stream';
import { type Admission, RateLimits } from '../limits/rate-limits';
import { overloaded, type TurnLimits, Turns } from '../limits/turns';
import type { RelayEndpoints } from '../relay/relay-endpoints';
import type { Site } from '../site/site';
import { type AuthorizerClient, AuthorizerUnavailableError } from './authorizer.client';
import { answerHeaders, forwardedHeaders, type RawHeaders, valuesOf } from './domain/header-lines';
import { bodyTooLarge, bodyTooSlow, bodyTypeObjection, type Objection, objectionTo } from './domain/request-rules';
import { endsPayment, mayReadCookies, mayReadCredentials, takesForms, type UpstreamName, upstreamOf } from './domain/route-table';
import { type UpstreamClient, UpstreamUnavailableError } from './upstream.client';

/** One request as the public listener passes it to the use case. */
export interface ClientRequest {
  id: string;
  /** HTTP version, e.g. `1.1`. */
  version: string;
  method: string;
  /** Request target exactly as received. */
  target: string;
  headers: RawHeaders;
  /** Bytes of body the client announced; undefined when it sends chunks; 0 without a body. */
  announcedBytes: number | undefined;
  /** Address of the client: that of the peer, or the one that a trusted proxy names. */
  address: string;
  /** Aborted when the client has disconnected. */
  signal: AbortSignal;
  /** Reads the whole body. Rejects with BodyTooLargeError beyond `bytesMax`, BodyTooSlowError, or ClientGoneError when the client has disconnected. */
  readBody(bytesMax: number): Promise<Buffer>;
}

/** The answer to the client. The listener adds its own fields (request id, HSTS). */
export interface Answer {
  status: number;
  headers: Record<string, string | string[]>;
  body: string | Readable;
  /** Subject of the caller's identity, which its streams are counted for; undefined on open paths. */
  account?: string | undefined;
  /** Name of the service that answered or refused, for the access log and metrics. */
  route: string;
}

export class BodyTooLargeError extends Error {}

/** The body came too slowly, or was the slowest when too many were incomplete. */
export class BodyTooSlowError extends Error {}

export class ClientGoneError extends Error {}

export interface ForwardingLimits {
  bodyBytesMax: number;
  inFlightMax: number;
  /** Of codes and payments. */
  turns: TurnLimits;
}

/** A request that the gateway's own rules allow. */
interface Admitted {
  request: ClientRequest;
  admission: Admission;
  path: Path;
  authorization: string[];
  /** A relay takes it. */
  isHook: boolean;
  /** Bodies of any type are taken. */
  isAnyType: boolean;
}

type Path = Extract<ReturnType<typeof normalisePath>, { ok: true }>;
type Allowed = Extract<AuthorizeAnswer, { allowed: true }>;
type Refused = Extract<AuthorizeAnswer, { allowed: false }>;

/** Flow: check rates, path and body rules -> a page of the documentation, or ask auth-session once -> forward to the service of the path. */
export class ForwardRequest {
  private inFlight = 0;
  private readonly turns: Turns;

  /** `relay`: in a sandbox; `site`: the documentation, where it is served. */
  constructor(
    private readonly authorizer: AuthorizerClient,
    private readonly upstreams: UpstreamClient,
    private readonly relay: RelayEndpoints | null,
    private readonly site: Site | null,
    private readonly rates: RateLimits,
    private readonly limits: ForwardingLimits,
  ) {
    this.turns = new Turns(limits.turns);
  }

  /** Resolves to the answer for the client; rejects with DomainError for the gateway's own refusals. */
  async handle(request: ClientRequest): Promise<Answer> {
    this.refuseBeyondInFlight();
    const admitted = this.admit(request);
    const page = await this.counted(() => this.page(admitted));
    if (page) return page;
    // It is counted only when its body is complete: bodies that never come would fill `inFlightMax`.
    const body = await this.bodyOf(admitted);
    return this.counted(() => this.inTurn(admitted, () => this.authorizeForward(admitted, body)));
  }

  /**
   * A code or a payment has its turn before auth-session is asked, so that a refusal costs no service anything. Other services, and relays, wait
   * for parties outside, such as a URL that is tried out, and bound that themselves.
   */
  private inTurn({ request, path: { path }, isHook }: Admitted, work: () => Promise<Answer>): Promise<Answer> {
    if (isHook || upstreamOf(path) !== 'payment-simulator') return work();
    return this.turns.run(work, { isFirst: endsPayment(request.method, path), signal: request.signal });
  }

  private async counted<T>(work: () => Promise<T>): Promise<T> {
    this.refuseBeyondInFlight();
    this.inFlight += 1;
    try {
      return await work();
    } finally {
      this.inFlight -= 1;
    }
  }

  private refuseBeyondInFlight(): void {
    if (this.inFlight >= this.limits.inFlightMax) throw overloaded();
  }

  /** The gateway's own rules, before anyone is asked. */
  private admit(request: ClientRequest): Admitted {
    const authorization = valuesOf(request.headers, 'authorization');
    const admission = this.rates.admit({ address: request.address, authorization, nowMs: performance.now() });
    this.refuseBeyondRate(admission, admission.waitS);
    const path = normalisePath(request.target);
    if (!path.ok)
      throw new DomainError({ status: 400, reason: 'INVALID_PATH', message: `invalid path: ${path.reason}`, headers: cut });
    const isHook = this.relay?.isHook(path.path) ?? false;
    const isAnyType = isHook || takesForms(path.path);
    const objection = objectionTo({ ...request, isAnyType }, this.limits.bodyBytesMax);
    if (objection) throw refusalFor(objection);
    return { request, admission, path, authorization, isHook, isAnyType };
  }

  private async authorizeForward({ request, admission, path, authorization }: Admitted, body: Buffer | null): Promise<Answer> {
    const decision = await this.authorize(request, authorization);
    this.chargeAccount(admission, decision);
    if (!decision.allowed) return refusedBy(decision);
    const relayed = await this.relayed({ request, path: path.path, body, decision });
    if (relayed) return relayed;
    const upstream = upstreamOf(path.path);
    if (!upstream) throw new DomainError({ status: 404, reason: 'NO_ROUTE', message: 'Not Found' });
    const rates = this.rates.fieldsFor(admission.credential);
    const answer = await this.forward({ request, path }, { body, decision, upstream });
    return { ...answer, headers: { ...answer.headers, ...rates } };
  }

  /** A page of the documentation; undefined for every other path. */
  private async page({ request: { method, headers }, path: { path } }: Admitted): Promise<Answer | undefined> {
    const [[knownEtag], [accept]] = [valuesOf(headers, 'if-none-match'), valuesOf(headers, 'accept')];
    const answer = await this.site?.answerTo({ method, path, knownEtag, accept });
    return answer && { ...answer, route: 'site' };
  }

  /** The sandbox's relays; undefined for every other path. */
  private async relayed(to: { request: ClientRequest; path: string; body: Buffer | null; decision: Allowed }) {
    const { method, headers, signal } = to.request;
    const account = subjectOf(to.decision.identity);
    const body = to.body ?? Buffer.alloc(0);
    const answer = await this.relay?.answerTo({ method, path: to.path, headers, body, signal, account });
    return answer && { ...answer, account, route: 'relay' };
  }

  private chargeAccount(admission: Admission, decision: AuthorizeAnswer): void {
    const { credential, isCharged } = admission;
    if (credential === undefined) return;
    if (!decision.allowed) {
      if (decision.status === 401) this.rates.forget(credential);
      return;
    }
    const account = subjectOf(decision.identity);
    if (account === undefined) return;
    this.rates.keepOwn(account, decision.ratePerS);
    if (!isCharged) this.refuseBeyondRate(admission, this.rates.charge(credential, account, performance.now()));
  }

  private refuseBeyondRate(admission: Admission, waitS: number): void {
    if (waitS === 0) return;
    const headers = this.rates.fieldsOfRefusal(admission, waitS);
    throw new DomainError({ status: 429, reason: 'RATE_LIMITED', message: 'Too Many Requests', headers });
  }

  private async bodyOf({ request, isAnyType }: Admitted): Promise<Buffer | null> {
    if (request.announcedBytes === 0) return null;
    try {
      const body = await request.readBody(this.limits.bodyBytesMax);
      const objection = isAnyType ? undefined : bodyTypeObjection(request.headers, body.length);
      if (objection) throw refusalFor(objection);
      return body.length > 0 ? body : null;
    } catch (error) {
      if (error instanceof BodyTooLargeError) throw refusalFor(bodyTooLarge);
      if (error instanceof BodyTooSlowError) throw refusalFor(bodyTooSlow);
      throw error;
    }
  }

  private async authorize(request: ClientRequest, authorization: string[]): Promise<AuthorizeAnswer> {
    const { method, target: path, address, id: requestId } = request;
    try {
      return await this.authorizer.authorize({ method, path, authorization, address, requestId });
    } catch (cause) {
      if (!(cause instanceof AuthorizerUnavailableError)) throw cause;
      throw unavailable('AUTHORIZER_UNAVAILABLE', 'authentication is temporarily unavailable', cause);
    }
  }

  private async forward(
    { request, path }: Pick<Admitted, 'request' | 'path'>,
    { body, decision, upstream }: { body: Buffer | null; decision: Allowed; upstream: UpstreamName },
  ): Promise<Answer> {
    const headers = forwardedHeaders(request.headers, {
      identity: decision.identity,
      requestId: request.id,
      address: request.address,
      isCredentialForwarded: mayReadCredentials(path.path),
      isCookieForwarded: mayReadCookies(path.path),
    });
    const { method, signal } = request;
    try {
      const target = path.path + path.search;
      const answer = await this.upstreams.send({ upstream, method, target, headers, body, signal });
      const account = subjectOf(decision.identity);
      return { status: answer.status, headers: answerHeaders(answer.headers), body: answer.body, account, route: upstream };
    } catch (cause) {
      if (!(cause instanceof UpstreamUnavailableError)) throw cause;
      throw unavailable('UPSTREAM_UNAVAILABLE', 'the service is temporarily unavailable', cause);
    }
  }
}

/** The account of an assertion. It comes directly from auth-session, so its signature is not verified again. Undefined on open paths. */
function subjectOf(assertion: string | undefined): string | undefined {
  const [, claims] = assertion?.split('.') ?? [];
  if (claims === undefined) return undefined;
  try {
    return (JSON.parse(Buffer.from(claims, 'base64url').toString()) as { sub?: string }).sub;
  } catch {
    // This is no assertion: the service will refuse it, and there is no account to charge.
    return undefined;
  }
}

function refusedBy({ status, headers, body }: Refused): Answer {
  return { status, headers, body, route: 'refused' };
}

function refusalFor({ status, message }: Objection): DomainError {
  return new DomainError({ status, reason: 'REQUEST_REFUSED', message, headers: cut });
}

/** After a malformed request the connection is closed, because the rest may be a smuggled request. */
const cut = { connection: 'close' };

function unavailable(reason: string, message: string, cause: unknown): DomainError {
  return new DomainError({ status: 503, reason, message, headers: { 'retry-after': '1' }, cause });
}
