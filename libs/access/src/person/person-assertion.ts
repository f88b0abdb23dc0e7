import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { type Role, roles, type TenantType, tenantTypes } from '@paycode/dto/people';
import jsonwebtoken from 'jsonwebtoken';
import { type PublishedKey, type ServiceName, tokenAlgorithm } from '../service-token/token-keys';

/** Carries the assertion beside the service token of the portal. */
export const personHeader = 'x-paycode-person';
/** Type of token, so that no service token and no identity assertion is accepted for a person, nor the reverse (T-08, RFC 8725 3.11). */
export const personAssertionType = 'paycode-person+jwt';
/** The one service that asserts people. The portal cannot: it has no key of this service. */
export const personIssuer: ServiceName = 'auth-session';
/** The one service that acts for people. */
export const personAudience: ServiceName = 'portal';
/** Life of an assertion, in seconds. */
export const personAssertionLifetimeS = 120;

/** The person for whom the portal calls another service, as auth-session asserts it. */
export interface ActingPerson {
  personId: string;
  tenantType: TenantType;
  /** Merchant or PSP id, name of the acquirer; empty for operators. */
  tenantId: string;
  role: Role;
  /** Name and address, as services write them down: 1 to 200 characters. */
  actor: string;
  sessionId: string;
}

/** The claims of an assertion, besides those of every token. */
export function personClaims({ personId, ...claims }: ActingPerson): Record<string, string> {
  return { sub: personId, ...claims };
}

/**
 * Reads the person out of an assertion. undefined: the signature is not by a current key of auth-session, or type, audience, life or a claim
 * does not fit. `keyOf` finds a published key of a service by its id.
 */
export function personIn(token: string, keyOf: (kid: string) => PublishedKey | undefined): ActingPerson | undefined {
  const key = keyOf(kidOf(token));
  if (key?.owner !== personIssuer) return undefined;
  try {
    const { header, payload } = jsonwebtoken.verify(token, key.publicKey, {
      algorithms: [tokenAlgorithm],
      issuer: personIssuer,
      audience: personAudience,
      complete: true,
    });
    if (header.typ !== personAssertionType || typeof payload === 'string') return undefined;
    return isShortLived(payload) ? personOf(payload) : undefined;
  } catch {
    return undefined;
  }
}

function kidOf(token: string): string {
  return jsonwebtoken.decode(token, { complete: true })?.header.kid ?? '';
}

function isShortLived({ iat, exp }: jsonwebtoken.JwtPayload): boolean {
  return iat !== undefined && exp !== undefined && exp - iat <= personAssertionLifetimeS;
}

type Claims = Record<'sub' | 'tenantType' | 'tenantId' | 'role' | 'actor' | 'sessionId', unknown>;

/** auth-session has signed it; this checks the fields that another release may have changed. */
function personOf(payload: jsonwebtoken.JwtPayload): ActingPerson | undefined {
  const { sub, tenantType, tenantId, role, actor, sessionId } = payload as unknown as Claims;
  if (![sub, tenantId, actor, sessionId].every(text => typeof text === 'string')) return undefined;
  if (!(tenantTypes as readonly unknown[]).includes(tenantType) || !(roles as readonly unknown[]).includes(role))
    return undefined;
  return { personId: sub, tenantType, tenantId, role, actor, sessionId } as ActingPerson;
}

/** The person behind `InternalCallersGuard`, on a route whose row in the table of internal calls demands one. */
export const OfPerson = createParamDecorator((_: unknown, context: ExecutionContext): ActingPerson => {
  const { person } = context.switchToHttp().getRequest<{ person?: ActingPerson }>();
  // A route that reads the person without the demand is a bug and must not run with an undefined one.
  if (!person) throw new Error('@OfPerson() is used on a route that demands no person');
  return person;
});
