import { randomUUID } from 'node:crypto';
import { createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import { AuthGuard, PassportStrategy } from '@nestjs/passport';
import { type Identity, identityHeader } from '@paycode/dto';
import { DomainError } from '@paycode/service-runtime';
import jsonwebtoken from 'jsonwebtoken';
import passport from 'passport';
import { ExtractJwt, Strategy } from 'passport-jwt';
import { assertionAlgorithm, assertionIssuer, identityOf } from './identity-assertion';
import { IdentityKeys } from './identity-keys';

/** Verifies offline that the identity assertion of a request was made for this very request (ES256 only, T-08); the result is the Identity. */
export class IdentityStrategy extends PassportStrategy(Strategy) {
  declare name: string;

  constructor(keys: IdentityKeys, service: string) {
    super({
      jwtFromRequest: ExtractJwt.fromHeader(identityHeader),
      secretOrKeyProvider: (_request, token: string, done) => void provideKey(keys, token, done),
      algorithms: [assertionAlgorithm],
      issuer: assertionIssuer,
      audience: service,
      passReqToCallback: true,
      jsonWebTokenOptions: { complete: true },
    });
  }

  validate({ method, url }: { method: string; url: string }, token: jsonwebtoken.Jwt): Identity | false {
    return identityOf(token, { method, target: url }) ?? false;
  }

  getPassportInstance() {
    return ownNameRegistry('identity');
  }
}

type Done = (error: unknown, key?: string | Buffer) => void;

async function provideKey(keys: IdentityKeys, token: string, done: Done): Promise<void> {
  try {
    const kid = jsonwebtoken.decode(token, { complete: true })?.header.kid;
    done(null, (kid === undefined ? undefined : await keys.find(kid)) as unknown as Buffer);
  } catch (cause) {
    // This is not the caller's fault, so it is no 401; without keys every request is refused.
    done(new DomainError({ status: 503, reason: 'IDENTITY_KEYS', message: 'Service Unavailable', cause }));
  }
}

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

/**
 * Registers a strategy under a unique name. Passport keeps one registry per process: two services started in one
 * process (tests, embedding) would otherwise replace each other's strategies and accept each other's tokens.
 */
export function ownNameRegistry(kind: string) {
  return {
    use(strategy: passport.Strategy): void {
      strategy.name = `${kind}-${randomUUID()}`;
      passport.use(strategy.name, strategy);
    },
  };
}
