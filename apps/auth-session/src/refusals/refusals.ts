import { authenticateChallenges } from '@paycode/access';
import { DomainError } from '@paycode/service-runtime';

/** Every 401 looks the same but for the literal of spec 7 (R-5.1-2, T-06), and names both schemes. */
function unauthorized(code: string, message: string): DomainError {
  return new DomainError({ status: 401, code, message, headers: { 'www-authenticate': authenticateChallenges } });
}

/** R-7-1: wrong username or password, or none at all. */
export const badCredentials = () => unauthorized('BAD_CREDENTIALS', 'Bad Credentials');

/** R-7-2: a JWT that is expired, revoked, replaced or not signed by us. */
export const expiredToken = () => unauthorized('EXPIRED_TOKEN', 'Invalid or expired JWT token');

/** R-7-3: no `Bearer ` prefix or not a JWT at all. */
export const invalidToken = () => unauthorized('INVALID_TOKEN', 'Invalid JWT token');

/** R-7-4: the token is good, but its account is not in Bearer mode (R-5.2-9, A-23). */
export const jwtDisabled = () => unauthorized('JWT_DISABLED', 'JWT Authentication disabled for this account');

/** R-7-5: authenticated, but the role does not permit the path. */
export const forbidden = () => new DomainError({ status: 403, code: 'FORBIDDEN', message: 'Forbidden' });
