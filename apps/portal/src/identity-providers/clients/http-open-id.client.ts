import { Injectable } from '@nestjs/common';
import { DomainError } from '@paycode/service-runtime';
import {
  allowInsecureRequests,
  AuthorizationResponseError,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  ClientError,
  ClientSecretBasic,
  type Configuration,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client';
import { type Checks, type ClientOf, OpenIdClient } from '../identity-providers.ports';
import type { Claims } from '../domain/identity-provider';
import { fetchBounded } from './fetch-bounded';

const timeoutS = 10;
const scope = 'openid email';
const subjectCharsMax = 255;

/** OpenID Connect: authorization code with PKCE, state and nonce; signatures are verified although the token came over TLS. */
@Injectable()
export class HttpOpenIdClient extends OpenIdClient {
  constructor(private readonly redirectUri: string) {
    super();
  }

  override async authorizationUrl(client: ClientOf, { state, nonce, codeVerifier }: Checks): Promise<URL> {
    const challenge = await calculatePKCECodeChallenge(codeVerifier);
    const asked = { scope, state, nonce, redirect_uri: this.redirectUri };
    return buildAuthorizationUrl(await configurationOf(client), {
      ...asked,
      code_challenge: challenge,
      code_challenge_method: 'S256',
    });
  }

  override async claims(client: ClientOf, answer: string, { state, nonce, codeVerifier }: Checks): Promise<Claims> {
    const configuration = await configurationOf(client);
    const checks = { pkceCodeVerifier: codeVerifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true };
    const url = new URL(`${this.redirectUri}?${answer}`);
    const tokens = await authorizationCodeGrant(configuration, url, checks).catch(refusedOrAway);
    const { sub, email, email_verified: isVerified } = tokens.claims()!;
    if (sub.length > subjectCharsMax) throw refused();
    if (typeof email === 'string') return { subject: sub, email, isEmailVerified: isVerified === true };
    const info = await fetchUserInfo(configuration, tokens.access_token, sub).catch(refusedOrAway);
    return { subject: sub, email: info.email, isEmailVerified: info.email_verified === true };
  }
}

/** Read anew for each step: sign-ins are rare, and a provider that renewed its keys is known at once. @throws DomainError 502 */
async function configurationOf({ issuer, clientId, clientSecret }: ClientOf): Promise<Configuration> {
  // What may be named without TLS was decided when the provider was set.
  const insecure = issuer.startsWith('http:') ? [allowInsecureRequests] : [];
  const options = { timeout: timeoutS, [customFetch]: fetchBounded, execute: [enableNonRepudiationChecks, ...insecure] };
  return discovery(new URL(issuer), clientId, clientSecret, ClientSecretBasic(clientSecret), options).catch(away);
}

/** Names nothing of the provider's answer: it may hold what is nobody else's. */
function refusedOrAway(cause: unknown): never {
  const isRefusal = [AuthorizationResponseError, ResponseBodyError, WWWAuthenticateChallengeError].some(
    kind => cause instanceof kind,
  );
  const isInvalid = cause instanceof ClientError && cause.code !== 'OAUTH_TIMEOUT';
  throw isRefusal || isInvalid ? refused(cause) : away(cause);
}

function refused(cause?: unknown): DomainError {
  const message = 'your company’s sign-in did not prove who you are: please begin anew';
  return new DomainError({ status: 401, reason: 'SSO_REFUSED', message, cause });
}

function away(cause: unknown): never {
  const message = 'your company’s sign-in does not answer as it should: try again, or use your password';
  throw new DomainError({ status: 502, reason: 'SSO_AWAY', message, cause });
}
