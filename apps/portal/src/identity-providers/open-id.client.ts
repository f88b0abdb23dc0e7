import { Injectable } from '@nestjs/common';
import { DomainError } from '@paycode/service-runtime';
import { BoundedMap } from '@paycode/service-runtime/timing';
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  AuthorizationResponseError,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  ClientError,
  ClientSecretBasic,
  type Configuration,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  type FetchBody,
  fetchUserInfo,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client';
import { refusal } from '../neighbours';
import { type Claims, type IdentityProvider, isProtected } from './domain/identity-provider';

/** A client of a provider, with its secret. */
export interface ClientOf extends IdentityProvider {
  clientSecret: string;
}

/** Values that the provider's answer to one sign-in must match; the browser keeps them in a cookie until it returns. */
export interface Checks {
  state: string;
  nonce: string;
  codeVerifier: string;
}

const timeoutS = 10;
/** Where the browser goes changes rarely. A provider that fails is asked again soon, but not by each request. */
const [knownMs, failedMs] = [300_000, 5_000];
const providersMax = 1_000;
/** Sign-ins of one provider that wait for its answer at the same time: a slow provider holds no more of the portal. */
const waitingMax = 8;
const scope = 'openid email';
const subjectCharsMax = 255;

/** OpenID Connect: authorization code with PKCE, state and nonce; signatures are verified although the token came over TLS. */
@Injectable()
export class OpenIdClient {
  private readonly known = new BoundedMap<string, { configuration: Promise<Configuration>; untilMs: number }>(providersMax);
  private readonly waiting = new Map<string, number>();

  /** `redirectUri`: what each company's own begins with. */
  constructor(private readonly redirectUri: string) {}

  /** Where the browser goes. @throws DomainError 502 when the provider does not answer as one */
  async authorizationUrl(client: ClientOf, { state, nonce, codeVerifier }: Checks): Promise<URL> {
    const challenge = await calculatePKCECodeChallenge(codeVerifier);
    const asked = { scope, state, nonce, redirect_uri: this.redirectUriOf(client) };
    return buildAuthorizationUrl(await this.knownConfigurationOf(client), {
      ...asked,
      code_challenge: challenge,
      code_challenge_method: 'S256',
    });
  }

  /** `answer`: the query that the browser came back with. @throws DomainError 401 when it does not prove anything, 502, 503 when too many wait for this provider */
  async claims(client: ClientOf, answer: string, checks: Checks): Promise<Claims> {
    const { company } = client;
    const waiting = this.waiting.get(company) ?? 0;
    if (waiting >= waitingMax) throw busy();
    this.waiting.set(company, waiting + 1);
    try {
      return await this.proven(client, answer, checks);
    } finally {
      const left = this.waiting.get(company)! - 1;
      if (left === 0) this.waiting.delete(company);
      else this.waiting.set(company, left);
    }
  }

  /** One for each company, so that the code of one provider never goes to another (RFC 9700 4.4.2.2). */
  private redirectUriOf({ company }: ClientOf): string {
    return `${this.redirectUri}/${company}`;
  }

  /** Anybody may begin a sign-in, so all requests for one provider share one question to it, and its answer for a while. */
  private async knownConfigurationOf(client: ClientOf): Promise<Configuration> {
    const key = JSON.stringify([client.company, client.issuer, client.clientId]);
    const known = this.known.get(key);
    if (known && performance.now() < known.untilMs) return known.configuration;
    const entry = { configuration: configurationOf(client), untilMs: Infinity };
    this.known.set(key, entry);
    const keepFor = (ms: number) => () => void (entry.untilMs = performance.now() + ms);
    entry.configuration.then(keepFor(knownMs), keepFor(failedMs));
    return entry.configuration;
  }

  private async proven(client: ClientOf, answer: string, { state, nonce, codeVerifier }: Checks): Promise<Claims> {
    const configuration = await configurationOf(client);
    const checks = { pkceCodeVerifier: codeVerifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true };
    const url = new URL(`${this.redirectUriOf(client)}?${answer}`);
    const tokens = await authorizationCodeGrant(configuration, url, checks).catch(refusedOrAway);
    const { sub, email, email_verified: isVerified } = tokens.claims()!;
    if (sub.length > subjectCharsMax) throw refused();
    if (typeof email === 'string') return { subject: sub, email, isEmailVerified: isVerified === true };
    const info = await fetchUserInfo(configuration, tokens.access_token, sub).catch(refusedOrAway);
    return { subject: sub, email: info.email, isEmailVerified: info.email_verified === true };
  }
}

/** Read anew for each answer: a provider that renewed its keys is known at once. @throws DomainError 502 */
async function configurationOf({ issuer, clientId, clientSecret }: ClientOf): Promise<Configuration> {
  // The portal decided whether this issuer may go without TLS when an operator set the provider.
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

const refused = (cause?: unknown) =>
  refusal([401, 'SSO_REFUSED'], 'your company’s sign-in did not prove who you are: please begin anew', cause);

function busy(): DomainError {
  const message = 'your company’s sign-in answers too slowly: try again in a moment, or use your password';
  return new DomainError({ status: 503, reason: 'SSO_BUSY', message, headers: { 'retry-after': '5' } });
}

function away(cause: unknown): never {
  const message = 'your company’s sign-in does not answer as it should: try again, or use your password';
  throw new DomainError({ status: 502, reason: 'SSO_AWAY', message, cause });
}

const answerBytesMax = 256 * 1024;

interface Init {
  body?: FetchBody;
  headers: Record<string, string>;
  method: string;
  signal?: AbortSignal | undefined;
}

/**
 * Follows no redirect, and limits the bytes that it reads. Requests to endpoints that a provider names use TLS, also where
 * its issuer is on the developer's own machine and has none: its configuration may name anybody. Rejects else.
 */
async function fetchBounded(url: string, { body, headers, method, signal }: Init): Promise<Response> {
  if (!isProtected(new URL(url))) throw new TypeError('the provider names an endpoint without TLS');
  const response = await fetch(url, { body: body ?? null, headers, method, signal: signal ?? null, redirect: 'manual' });
  const parts: Uint8Array[] = [];
  let size = 0;
  const arriving = (response.body ?? []) as AsyncIterable<Uint8Array> | [];
  for await (const part of arriving) {
    size += part.length;
    if (size > answerBytesMax) throw new RangeError(`the provider answered more than ${answerBytesMax} bytes`);
    parts.push(part);
  }
  const { status, statusText } = response;
  const read = new Response(parts.length === 0 ? null : Buffer.concat(parts), { status, statusText, headers: response.headers });
  Object.defineProperty(read, 'url', { value: response.url });
  return read;
}
