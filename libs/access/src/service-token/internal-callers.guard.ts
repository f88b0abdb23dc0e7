import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type jsonwebtoken from 'jsonwebtoken';
import { type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { AuthGuard, PassportStrategy } from '@nestjs/passport';
import { DomainError, LOGGER, type Logger, peerNamesOf } from '@paycode/service-runtime';
import { ExtractJwt, Strategy } from 'passport-jwt';
import { type ActingPerson, type InvitedPerson, personAudience, personHeader } from '../person/person-assertion';
import { PersonCheck } from '../person/person-demand';
import { type InternalCall, InternalCallTable } from './internal-calls';
import { KnownCallers } from './known-callers';
import { ServiceTokenKeys } from './service-token-keys';
import { ownNameRegistry } from '../identity/identity.guard';
import { type InternalCaller, tokenAlgorithm } from './token-keys';

/** Verifies the Bearer token of an internal call (ES256 only, T-08); the result is the caller. */
@Injectable()
export class ServiceTokenStrategy extends PassportStrategy(Strategy) {
  declare name: string;

  constructor(private readonly keys: ServiceTokenKeys) {
    super({
      jwtFromRequest: ExtractJwt.fromAuthHeaderAsBearerToken(),
      // A provider may return a KeyObject; a key as text would be imported again for every token.
      secretOrKeyProvider: (_request, token: string, done) => done(null, keys.keyFor(token) as unknown as Buffer),
      algorithms: [tokenAlgorithm],
      audience: keys.audiences,
      jsonWebTokenOptions: { complete: true },
    });
  }

  validate(token: jsonwebtoken.Jwt): InternalCaller | false {
    return this.keys.callerOf(token) ?? false;
  }

  getPassportInstance() {
    return ownNameRegistry('service-token');
  }
}

/** The fields of a request that the guard reads and sets. */
export interface InternalRequest {
  id?: unknown;
  method: string;
  raw: Pick<IncomingMessage, 'socket'>;
  headers: IncomingHttpHeaders;
  routeOptions: { url?: string };
  body?: unknown;
  /** Name of the service that calls, or `operator`. */
  internalCaller?: string;
  /** Name of the operator; undefined for services. */
  subject?: string;
  /** For whom the portal calls, on a route that demands it. */
  person?: ActingPerson;
  /** With which invitation, on a route that demands one. */
  invitation?: InvitedPerson;
}

/**
 * Runs before every route of a service and applies the table of internal calls to routes below `/internal/`. It answers 401 without a valid
 * service or operator token, and 403 for a caller that the route's row does not name; without a row every caller gets 403. The portal also proves
 * for whom it calls, where the row does not say that it calls for nobody.
 */
@Injectable()
export class InternalCallersGuard extends AuthGuard() {
  private readonly known = new KnownCallers();

  constructor(
    strategy: ServiceTokenStrategy,
    private readonly keys: ServiceTokenKeys,
    private readonly table: InternalCallTable,
    private readonly people: PersonCheck,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super({ defaultStrategy: strategy.name, property: 'caller', session: false });
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<InternalRequest>();
    if (request.routeOptions.url?.startsWith('/internal/')) await this.admit(request);
    return true;
  }

  /** The same check for a route outside Nest's pipeline. @throws DomainError 401, 403 */
  async admit(request: InternalRequest): Promise<void> {
    const { callers = [], person } = this.table.rowOf(request.method, request.routeOptions.url ?? '') ?? {};
    if ('noToken' in callers) return;
    const caller = await this.callerOf(request);
    if (!(callers as readonly string[]).includes(caller.name)) throw callerRefused();
    request.internalCaller = caller.name;
    if (caller.name === personAudience) await this.admitPerson(request, person);
    if (caller.subject !== null) this.admitOperator(request, caller.subject, caller.tokenId);
  }

  /** A row that says nothing of people lets the portal do nothing. @throws DomainError 401, 403 */
  private async admitPerson(request: InternalRequest, demand: InternalCall['person']): Promise<void> {
    if (demand === undefined) throw callerRefused();
    if (typeof demand === 'object') return;
    Object.assign(request, await this.people.proven({ assertion: request.headers[personHeader], body: request.body }, demand));
  }

  private async callerOf(request: InternalRequest): Promise<InternalCaller> {
    const caller = this.known.find(request.headers.authorization, Date.now()) ?? (await this.verify(request));
    if (this.keys.isRevoked(caller) || !isCertified(caller, request)) throw tokenRefused();
    return caller;
  }

  override handleRequest<T>(error: unknown, caller: T): T {
    if (error) throw error;
    if (!caller) throw tokenRefused();
    return caller;
  }

  /** Writes a log line with the person's name for every call of an operator (T-27). */
  private admitOperator(request: InternalRequest, subject: string, tokenId: string): void {
    request.subject = subject;
    const { id, method, routeOptions } = request;
    this.logger.info(
      { event: 'operator-call', subject, tokenId, method, route: routeOptions.url, requestId: id },
      'operator call',
    );
  }

  private async verify(request: InternalRequest): Promise<InternalCaller> {
    const token = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    const provider = this.keys.operatorProvider;
    const isOfProvider = provider && token !== undefined && provider.isIssuerOf(token);
    const caller = isOfProvider ? await provider.callerOf(token) : await this.verifyByKey(request);
    if (!caller) throw tokenRefused();
    this.known.add(request.headers.authorization!, caller, Date.now());
    return caller;
  }

  private async verifyByKey(request: InternalRequest & { caller?: InternalCaller }): Promise<InternalCaller | undefined> {
    await super.canActivate(new ExecutionContextHost([request, {}]));
    return request.caller;
  }
}

/** Under mutual TLS a token is valid only with a certificate of the same name: that of the service, or `operator` for a person. */
function isCertified({ name }: InternalCaller, { raw }: InternalRequest): boolean {
  return peerNamesOf(raw)?.includes(name) ?? true;
}

function callerRefused(): DomainError {
  return new DomainError({ status: 403, reason: 'CALLER_NOT_ALLOWED', message: 'this caller may not use this route' });
}

function tokenRefused(): DomainError {
  return new DomainError({ status: 401, reason: 'SERVICE_TOKEN', message: 'a valid service token is required' });
}
