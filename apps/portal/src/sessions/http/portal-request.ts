import { createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Origin } from '../../audit/audit.ports';
import type { Permission } from '../../people/domain/person';
import type { Stage } from '../domain/session';
import type { OpenedSession } from '../sessions.ports';

export interface PortalHttpRequest extends FastifyRequest {
  opened?: OpenedSession;
}

/** The route answers whoever is not signed in as well; `opened` tells. */
export const ForEverybody = () => SetMetadata('portal:stages', ['NONE', 'FULL', 'CODE_DUE', 'ENROL_DUE']);
/** The route is for people who are not signed in. */
export const ForAnybody = () => SetMetadata('portal:stages', []);
/** The route takes sessions of these stages; without it `FULL` alone. */
export const AtStages = (...stages: Stage[]) => SetMetadata('portal:stages', stages);
export const Needs = (permission: Permission) => SetMetadata('portal:permission', permission);

/** Person and session behind PortalGuard. */
export const SignedIn = createParamDecorator((_: unknown, context: ExecutionContext): OpenedSession => {
  const { opened } = context.switchToHttp().getRequest<PortalHttpRequest>();
  if (!opened) throw new Error('@SignedIn() is used on a route for anybody');
  return opened;
});

/** Who asks, by which session and from where. */
export interface Asking extends OpenedSession {
  origin: Origin;
}

/** As `SignedIn`, with where the request came from. */
export const AskedBy = createParamDecorator((_: unknown, context: ExecutionContext): Asking => {
  const request = context.switchToHttp().getRequest<PortalHttpRequest>();
  if (!request.opened) throw new Error('@AskedBy() is used on a route for anybody');
  return { ...request.opened, origin: originOf(request) };
});

export const ClientOrigin = createParamDecorator((_: unknown, context: ExecutionContext): Origin =>
  originOf(context.switchToHttp().getRequest<PortalHttpRequest>()),
);

/** The last address is the one our own gateway added; those before it are whatever the client claimed (T-26). */
export function originOf(request: PortalHttpRequest): Origin {
  const forwarded = request.headers['x-forwarded-for'];
  const address = (typeof forwarded === 'string' ? forwarded.split(',').at(-1)?.trim() : undefined) || request.ip;
  return { address, userAgent: String(request.headers['user-agent'] ?? ''), requestId: String(request.id) };
}
