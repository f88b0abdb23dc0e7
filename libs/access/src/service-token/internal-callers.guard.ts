import { type CanActivate, type ExecutionContext, Injectable, SetMetadata, UseGuards, applyDecorators } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { DomainError } from '@paycode/service-runtime';
import type { FastifyRequest } from 'fastify';
import { ServiceTokenVerifier } from './service-token';

const callersKey = 'paycode:internal-callers';

/** Lets only the named services (or `operator`) call an internal route. */
export const InternalCallers = (...callers: [string, ...string[]]) =>
  applyDecorators(SetMetadata(callersKey, callers), UseGuards(InternalCallersGuard));

/** Checks the service token of an internal call: 401 without a valid one, 403 for a caller the route does not name. */
@Injectable()
export class InternalCallersGuard implements CanActivate {
  constructor(
    private readonly verifier: ServiceTokenVerifier,
    private readonly reflector: Reflector,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest & { internalCaller?: string }>();
    const [scheme, token] = (request.headers.authorization ?? '').split(' ', 2);
    const caller = scheme === 'Bearer' && token ? this.verifier.callerOf(token) : undefined;
    if (!caller) throw new DomainError({ status: 401, code: 'SERVICE_TOKEN', message: 'a valid service token is required' });
    const allowed = this.reflector.getAllAndOverride<string[]>(callersKey, [context.getHandler(), context.getClass()]) ?? [];
    if (!allowed.includes(caller))
      throw new DomainError({ status: 403, code: 'CALLER_NOT_ALLOWED', message: 'this caller may not use this route' });
    request.internalCaller = caller;
    return true;
  }
}
