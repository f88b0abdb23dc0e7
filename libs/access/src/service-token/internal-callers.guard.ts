import { type ExecutionContext, Injectable, SetMetadata, UseGuards, applyDecorators } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard } from '@nestjs/passport';
import { DomainError } from '@paycode/service-runtime';
import { ServiceTokenStrategy } from './service-token.strategy';

const callersKey = 'paycode:internal-callers';

/** Lets only the named services (or `operator`) call an internal route. */
export const InternalCallers = (...callers: [string, ...string[]]) =>
  applyDecorators(SetMetadata(callersKey, callers), UseGuards(InternalCallersGuard));

/** Checks the service token of an internal call: 401 without a valid one, 403 for a caller the route does not name. Sets `request.internalCaller`. */
@Injectable()
export class InternalCallersGuard extends AuthGuard() {
  constructor(
    strategy: ServiceTokenStrategy,
    private readonly reflector: Reflector,
  ) {
    super({ defaultStrategy: strategy.name, property: 'internalCaller', session: false });
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    await super.canActivate(context);
    const { internalCaller } = context.switchToHttp().getRequest<{ internalCaller: string }>();
    const allowed = this.reflector.getAllAndOverride<string[]>(callersKey, [context.getHandler(), context.getClass()]) ?? [];
    if (!allowed.includes(internalCaller))
      throw new DomainError({ status: 403, code: 'CALLER_NOT_ALLOWED', message: 'this caller may not use this route' });
    return true;
  }

  override handleRequest<T>(error: unknown, caller: T): T {
    if (error) throw error;
    if (!caller) throw new DomainError({ status: 401, code: 'SERVICE_TOKEN', message: 'a valid service token is required' });
    return caller;
  }
}
