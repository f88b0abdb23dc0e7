import type { Person } from '../../people/domain/person';

/** Stage of a session: at `CODE_DUE` only the password is proved, at `ENROL_DUE` the person must set up an authenticator app first. */
export type Stage = 'CODE_DUE' | 'ENROL_DUE' | 'FULL';

export interface PortalSession {
  sessionId: string;
  stage: Stage;
  address: string;
  /** Browser and system, as mails name them. */
  device: string;
  createdAt: string;
  seenAt: string;
}

export interface OpenedSession {
  session: PortalSession;
  person: Person;
}

/** `__Host-`: set by this very host over TLS, for all of it; no neighbour under the same domain can put one here. */
const cookieName = '__Host-paycode';

const secretNamed = (name: string) => new RegExp(`(?:^|;\\s*)${name}=([A-Za-z0-9_-]{43})(?:;|$)`);
const ours = secretNamed(cookieName);

/** The session's secret in a Cookie header; undefined without one. */
export function secretIn(cookieHeader: string | undefined): string | undefined {
  return ours.exec(cookieHeader ?? '')?.[1];
}

const attributes = 'Path=/; Secure; HttpOnly; SameSite=Strict';

export function cookieFor(secret: string, maxAgeS: number): string {
  return `${cookieName}=${secret}; ${attributes}; Max-Age=${maxAgeS}`;
}

/** Tells browsers that have signed in before from new ones. It opens nothing. Browsers keep no cookie for longer than 400 days. */
const deviceName = `${cookieName}-device`;
const deviceOurs = secretNamed(deviceName);
const deviceMaxAgeS = 400 * 86_400;

export function deviceIn(cookieHeader: string | undefined): string | undefined {
  return deviceOurs.exec(cookieHeader ?? '')?.[1];
}

export function deviceCookieFor(secret: string): string {
  return `${deviceName}=${secret}; ${attributes}; Max-Age=${deviceMaxAgeS}`;
}

/** The browser keeps this cookie, sealed, while its person signs in at a provider. */
const ssoName = '__Host-paycode-sso';
const ssoOurs = new RegExp(`(?:^|;\\s*)${ssoName}=([A-Za-z0-9_.-]{1,2000})(?:;|$)`);

export function ssoIn(cookieHeader: string | undefined): string | undefined {
  return ssoOurs.exec(cookieHeader ?? '')?.[1];
}

export function ssoCookieFor(sealed: string, maxAgeS: number): string {
  return `${ssoName}=${sealed}; ${attributes}; Max-Age=${maxAgeS}`;
}

export const noSsoCookie = `${ssoName}=; ${attributes}; Max-Age=0`;

export const noCookie = `${cookieName}=; ${attributes}; Max-Age=0`;

const safe = new Set(['GET', 'HEAD']);

interface Sender {
  method: string;
  origin: string | undefined;
  /** Sec-Fetch-Site. */
  site: string | undefined;
}

/** Whether a page of `ownOrigin` sent this request. A GET or HEAD may lack an Origin header: no other site can read the answer. */
export function isFromOwnPages({ method, origin, site }: Sender, ownOrigin: string): boolean {
  if (site !== undefined && site !== 'same-origin' && !(safe.has(method) && site === 'none')) return false;
  return safe.has(method) ? origin === undefined || origin === ownOrigin : origin === ownOrigin;
}
