import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { languages, type ReadsIn, type Role, roles, type TenantType, tenantTypes } from '@paycode/dto/people';
import jsonwebtoken from 'jsonwebtoken';
import { type PublishedKey, type ServiceName, tokenAlgorithm } from '../service-token/token-keys';

/** Carries the assertion beside the service token of the portal. */
export const personHeader = 'x-paycode-person';
/** Type of token, so that no service token and no identity assertion is accepted for a person, nor the reverse (T-08, RFC 8725 3.11). */
export const personAssertionType = 'paycode-person+jwt';
/** An invitation is mailed by it, and nobody acts by it. */
export const invitationAssertionType = 'paycode-invitation+jwt';
/** An alert is mailed by it, and nobody acts by it. */
export const alertAssertionType = 'paycode-alert+jwt';
/** Type of the assertion by which somebody who is not signed in is mailed, by the demand of the route. */
export const mailAssertionTypes = { INVITED: invitationAssertionType, ALERTED: alertAssertionType } as const;
export type MailDemand = keyof typeof mailAssertionTypes;
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

/**
 * Somebody who is not signed in and gets a link by e-mail, as auth-session found the invitation or the alert. It holds the secret: forget it once
 * mailed.
 */
export interface InvitedPerson extends Partial<ReadsIn> {
  /** Of the invitation, or of the alert. */
  invitationId: string;
  /** Of the link: it lets its reader choose a password; that of an alert lets its reader end such alerts. */
  secret: string;
  email: string;
  tenantType: TenantType;
  tenantId: string;
  /** ISO 8601 UTC. */
  expiresAt: string;
}

/** The claims of an assertion, besides those of every token. */
export function personClaims({ personId, ...claims }: ActingPerson): Record<string, string> {
  return { sub: personId, ...claims };
}

/**
 * Reads the person out of an assertion. undefined: the signature is not by a current key of auth-session, or type, audience, life or a claim
 * does not fit. `keyOf` finds a published key of a service by its id.
 */
export function personIn(token: string, keyOf: KeyFinder): ActingPerson | undefined {
  const payload = payloadOf(token, { type: personAssertionType, keyOf });
  return payload && personOf(payload);
}

/** As `personIn`, for an invitation or an alert. */
export function invitationIn(token: string, demand: MailDemand, keyOf: KeyFinder): InvitedPerson | undefined {
  const payload = payloadOf(token, { type: mailAssertionTypes[demand], keyOf });
  if (!payload) return undefined;
  const { invitationId, secret, email, tenantType, tenantId, expiresAt, ...reads } =
    payload as unknown as Unchecked<InvitedPerson>;
  if (![invitationId, secret, email, tenantId, expiresAt].every(isText) || !isTenantType(tenantType)) return undefined;
  const language = languages.find(each => each === reads.language);
  const timeZone = isText(reads.timeZone) ? reads.timeZone : undefined;
  return { invitationId, secret, email, tenantType, tenantId, expiresAt, language, timeZone } as InvitedPerson;
}

type KeyFinder = (kid: string) => PublishedKey | undefined;

function payloadOf(token: string, { type, keyOf }: { type: string; keyOf: KeyFinder }): jsonwebtoken.JwtPayload | undefined {
  const key = keyOf(kidOf(token));
  if (key?.owner !== personIssuer) return undefined;
  try {
    const { header, payload } = jsonwebtoken.verify(token, key.publicKey, {
      algorithms: [tokenAlgorithm],
      issuer: personIssuer,
      audience: personAudience,
      complete: true,
    });
    if (header.typ !== type || typeof payload === 'string') return undefined;
    return isShortLived(payload) ? payload : undefined;
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

type Unchecked<Claims> = Record<keyof Claims, unknown>;

const isText = (value: unknown): boolean => typeof value === 'string';
const isTenantType = (value: unknown): boolean => (tenantTypes as readonly unknown[]).includes(value);

/** auth-session has signed it; this checks the fields that another release may have changed. */
function personOf(payload: jsonwebtoken.JwtPayload): ActingPerson | undefined {
  const { sub, tenantType, tenantId, role, actor, sessionId } = payload as unknown as Unchecked<ActingPerson & { sub: string }>;
  if (![sub, tenantId, actor, sessionId].every(isText)) return undefined;
  if (!isTenantType(tenantType) || !(roles as readonly unknown[]).includes(role)) return undefined;
  return { personId: sub, tenantType, tenantId, role, actor, sessionId } as ActingPerson;
}

/** A session of the portal's pages that was silent for an hour has ended (T-52). */
export const browserSessionIdleS = 3_600;

/** The person behind `InternalCallersGuard`, on a route whose row in the table of internal calls demands one. */
export const OfPerson = createParamDecorator((_: unknown, context: ExecutionContext) => asserted(context, 'person'));
/** The invitation behind `InternalCallersGuard`, on a route whose row demands one. */
export const OfInvitation = createParamDecorator((_: unknown, context: ExecutionContext) => asserted(context, 'invitation'));

function asserted(context: ExecutionContext, kind: 'person' | 'invitation'): unknown {
  const found = context.switchToHttp().getRequest<Partial<Record<typeof kind, unknown>>>()[kind];
  // A route that reads it without the demand is a bug and must not run with an undefined one.
  if (!found) throw new Error(`the row of this route in the table of internal calls demands no ${kind}`);
  return found;
}
