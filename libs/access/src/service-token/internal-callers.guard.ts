import type { IncomingHttpHeaders } from 'node:http';
import { type ExecutionContext, Injectable, SetMetadata, UseGuards, applyDecorators } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { AuthGuard } from '@nestjs/passport';
import { DomainError } from '@paycode/service-runtime';
import { KnownCallers } from './known-callers';
import { ServiceTokenStrategy } from './service-token.strategy';

const callersKey = 'paycode:internal-callers';

interface InternalRequest {
  headers: IncomingHttpHeaders;
  internalCaller?: string;
}

/** Lets only the named services (or `operator`) call an internal route. */
export const InternalCallers = (...callers: [string, ...string[]]) =>
  applyDecorators(SetMetadata(callersKey, callers), UseGuards(InternalCallersGuard));

/** Checks the service token of an internal call: 401 without a valid one, 403 for a caller the route does not name. Sets `request.internalCaller`. */
@Injectable()
export class InternalCallersGuard extends AuthGuard() {
  private readonly known = new KnownCallers();

  constructor(
    strategy: ServiceTokenStrategy,
    private readonly reflector: Reflector,
  ) {
    super({ defaultStrategy: strategy.name, property: 'internalCaller', session: false });
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const allowed = this.reflector.getAllAndOverride<string[]>(callersKey, [context.getHandler(), context.getClass()]) ?? [];
    await this.admit(context.switchToHttp().getRequest<InternalRequest>(), allowed);
    return true;
  }

  /** The same check for a route outside Nest's pipeline. @throws DomainError 401, 403 */
  async admit(request: InternalRequest, allowed: readonly string[]): Promise<void> {
    const caller = this.known.find(request.headers.authorization, Date.now()) ?? (await this.verify(request));
    if (!allowed.includes(caller))
      throw new DomainError({ status: 403, code: 'CALLER_NOT_ALLOWED', message: 'this caller may not use this route' });
    request.internalCaller = caller;
  }

  override handleRequest<T>(error: unknown, caller: T): T {
    if (error) throw error;
    if (!caller) throw new DomainError({ status: 401, code: 'SERVICE_TOKEN', message: 'a valid service token is required' });
    return caller;
  }

  private async verify(request: InternalRequest): Promise<string> {
    await super.canActivate(new ExecutionContextHost([request, {}]));
    const caller = request.internalCaller!;
    this.known.add(request.headers.authorization!, caller);
    return caller;
  }
}
