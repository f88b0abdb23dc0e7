import { authenticateChallenges } from '@paycode/access';
import { DomainError } from '@paycode/service-runtime';

/** All 401 answers are equal except for the literal of section 7 (R-5.1-2, T-06), and name both schemes. */
function unauthorized(reason: string, message: string): DomainError {
  return new DomainError({ status: 401, reason, message, headers: { 'www-authenticate': authenticateChallenges } });
}

/** Wrong username or password, or none at all (R-7-1, A-25). */
export const badCredentials = () => unauthorized('BAD_CREDENTIALS', 'Bad Credentials');

/** A JWT that is expired, revoked, replaced, or not signed by this service (R-7-2, A-24). */
export const expiredToken = () => unauthorized('EXPIRED_TOKEN', 'Invalid or expired JWT token');

/** No `Bearer ` prefix or not a JWT at all (R-7-3, A-24). */
export const invalidToken = () => unauthorized('INVALID_TOKEN', 'Invalid JWT token');

/** The token is valid, but its account is not in Bearer mode (R-7-4, R-5.2-9, A-23). */
export const jwtDisabled = () => unauthorized('JWT_DISABLED', 'JWT Authentication disabled for this account');

/** Authenticated, but the role does not permit the path (R-7-5). */
export const forbidden = () => new DomainError({ status: 403, reason: 'FORBIDDEN', message: 'Forbidden' });
