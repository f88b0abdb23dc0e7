import { type CanActivate, createParamDecorator, type ExecutionContext, Inject, Injectable, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { DomainError } from '@paycode/service-runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Origin } from '../audit';
import { refusal } from '../neighbours';
import { may, type Permission } from '../people/domain/person';
import { secretHash } from '../people/secrets';
import { deviceIn, isFromOwnPages, type OpenedSession, secretIn, type Stage } from './domain/session';
import { type Proof, Proofs, type Proven } from './proofs';
import { SessionStore } from './session.store';

export interface PortalHttpRequest extends FastifyRequest {
  opened?: OpenedSession;
  proof?: Proof;
}

/** The route answers whoever is not signed in as well; `opened` tells. */
export const ForEverybody = () => SetMetadata('portal:stages', ['NONE', 'FULL', 'CODE_DUE', 'ENROL_DUE']);
/** The route is for people who are not signed in. */
export const ForAnybody = () => SetMetadata('portal:stages', []);
/** The route takes sessions of these stages; without it `FULL` alone. */
export const AtStages = (...stages: Stage[]) => SetMetadata('portal:stages', stages);
/** Programs that are no browser call the route: what it takes proves itself. */
export const FromAnywhere = () => SetMetadata('portal:from-anywhere', true);
export const Needs = (permission: Permission) => SetMetadata('portal:permission', permission);

/** Person and session behind PortalGuard. */
export const SignedIn = createParamDecorator((_: unknown, context: ExecutionContext): OpenedSession => {
  const { opened } = context.switchToHttp().getRequest<PortalHttpRequest>();
  if (!opened) throw new Error('@SignedIn() is used on a route for anybody');
  return opened;
});

/** The person who sent the request, with session and origin. */
export type Asking = OpenedSession & Proven;

/** As `SignedIn`, with where the request came from. */
export const AskedBy = createParamDecorator((_: unknown, context: ExecutionContext): Asking => {
  const request = context.switchToHttp().getRequest<PortalHttpRequest>();
  const { opened, proof } = request;
  if (!opened || !proof) throw new Error('@AskedBy() is used on a route for anybody');
  return { ...opened, origin: originOf(request), proof };
});

export const ClientOrigin = createParamDecorator((_: unknown, context: ExecutionContext): Origin =>
  originOf(context.switchToHttp().getRequest<PortalHttpRequest>()),
);

/** The last address is the one our own gateway added; those before it are whatever the client claimed (T-26). */
export function originOf(request: PortalHttpRequest): Origin {
  const forwarded = request.headers['x-forwarded-for'];
  const address = (typeof forwarded === 'string' ? forwarded.split(',').at(-1)?.trim() : undefined) || request.ip;
  const { 'user-agent': userAgent, cookie } = request.headers;
  return { address, userAgent: String(userAgent ?? ''), requestId: String(request.id), device: deviceIn(cookie) };
}

export const PORTAL_RULES = Symbol('PORTAL_RULES');

export interface PortalRules {
  /** The one origin that may send changes. */
  origin: string;
  idleS: number;
  lifetimeS: number;
  /** Whether everybody must have a second factor. */
  isTotpDemanded: boolean;
  isProduction: boolean;
}

/** Stands before every route of /console/api: own pages only, then the session, its stage, and what the person's role may do. */
@Injectable()
export class PortalGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly sessions: SessionStore,
    private readonly proofs: Proofs,
    @Inject(PORTAL_RULES) private readonly rules: PortalRules,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (context.getType() !== 'http') return true;
    const request = context.switchToHttp().getRequest<PortalHttpRequest>();
    if (!request.routeOptions.url?.startsWith('/console/api/')) return true;
    void context.switchToHttp().getResponse<FastifyReply>().headers(apiHeaders);
    this.refuseForeign(request, context);
    const stages = this.reflector.get<(Stage | 'NONE')[] | undefined>('portal:stages', context.getHandler()) ?? ['FULL'];
    if (stages.length === 0) return true;
    await this.admit(request, stages);
    const permission = this.reflector.get<Permission | undefined>('portal:permission', context.getHandler());
    if (permission && !may(request.opened!.person.role, permission, this.rules.isProduction)) throw roleRefused();
    return true;
  }

  private refuseForeign({ method, headers }: PortalHttpRequest, context: ExecutionContext): void {
    if (this.reflector.get<true | undefined>('portal:from-anywhere', context.getHandler())) return;
    const sender = { method, origin: headers.origin, site: headers['sec-fetch-site'] as string | undefined };
    if (isFromOwnPages(sender, this.rules.origin)) return;
    const message = `only pages of ${this.rules.origin} may send this: open the portal under that address`;
    throw new DomainError({ status: 403, reason: 'FOREIGN_ORIGIN', message });
  }

  private async admit(request: PortalHttpRequest, stages: (Stage | 'NONE')[]): Promise<void> {
    const secret = secretIn(request.headers.cookie);
    const opened = secret === undefined ? undefined : await this.sessions.find(secretHash(secret), this.rules.idleS);
    if (!opened && stages.includes('NONE')) return;
    if (secret === undefined || !opened)
      throw new DomainError({ status: 401, reason: 'NOT_SIGNED_IN', message: 'please sign in' });
    if (!stages.includes(opened.session.stage)) throw stageRefused(opened.session.stage);
    request.opened = opened;
    request.proof = this.proofs.of({ secret, sessionId: opened.session.sessionId }, request.method === 'GET');
    // Pages poll by reading. A change is an act of a person, and the pages report keys and pointers as one.
    if (request.method !== 'GET') await this.sessions.seen(opened.session.sessionId);
  }
}

const apiHeaders = { 'cache-control': 'no-store', 'x-frame-options': 'DENY', 'referrer-policy': 'no-referrer' };

function stageRefused(stage: Stage): DomainError {
  const message =
    stage === 'CODE_DUE'
      ? 'please enter the code of your app, or use your passkey'
      : 'please set up a passkey or an authenticator app first';
  return new DomainError({ status: 401, reason: stage, message });
}

const roleRefused = () => refusal([403, 'ROLE'], 'your role may not do this: ask an owner of your account');
