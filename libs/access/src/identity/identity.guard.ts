import { createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import type { Identity } from '@paycode/dto';
import { DomainError } from '@paycode/service-runtime';
import { IdentityStrategy } from './identity.strategy';

/** Challenges named by every 401 (A-25, RFC 9110 15.5.2). */
export const authenticateChallenges = 'Basic realm="paycode", Bearer';

interface IdentifiedRequest {
  identity?: Identity;
}

/** Lets a request in only with a valid identity assertion, so a service reached without the gateway answers 401. */
@Injectable()
export class IdentityGuard extends AuthGuard() {
  constructor(strategy: IdentityStrategy) {
    super({ defaultStrategy: strategy.name, property: 'identity', session: false });
  }

  override handleRequest<T>(error: unknown, identity: T, info: unknown): T {
    if (error) throw error;
    if (info instanceof DomainError) throw info;
    if (!identity) throw notIdentified();
    return identity;
  }
}

/** The caller of a route behind `IdentityGuard`. */
export const CallerIdentity = createParamDecorator((_: unknown, context: ExecutionContext): Identity => {
  const { identity } = context.switchToHttp().getRequest<IdentifiedRequest>();
  // A route that reads the caller without the guard is a bug and must not run with an undefined caller.
  if (!identity) throw new Error('@CallerIdentity() is used without IdentityGuard');
  return identity;
});

function notIdentified(): DomainError {
  return new DomainError({
    status: 401,
    reason: 'NO_IDENTITY',
    message: 'Bad Credentials',
    headers: { 'www-authenticate': authenticateChallenges },
  });
}
