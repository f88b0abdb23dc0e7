/** Whose people: as a person has it. */
interface Tenant {
  tenantType: 'MERCHANT' | 'PSP' | 'ACQUIRER' | 'OPERATOR';
  tenantId: string;
}

/** Where people of one tenant sign in. */
export interface IdentityProvider extends Tenant {
  providerId: string;
  /** As people type it on the sign-in page. */
  company: string;
  issuer: string;
  clientId: string;
}

/** Claims of the provider about the person who signed in there. */
export interface Claims {
  subject: string;
  email: string | undefined;
  isEmailVerified: boolean;
}

const loopback = new Set(['localhost', '127.0.0.1', '[::1]']);
const isOnThisMachine = ({ protocol, hostname }: URL) => protocol === 'http:' && loopback.has(hostname);

/** Whether nobody on the way can read or change what is asked and answered there. */
export function isProtected(url: URL): boolean {
  return url.protocol === 'https:' || isOnThisMachine(url);
}

/** undefined: good. Without TLS only on the developer's own machine. */
export function issuerProblem(issuer: string, environment: 'sandbox' | 'production'): string | undefined {
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined;
  if (!url || hasMore(url)) return 'must be the URL of the issuer, as its configuration names it';
  return url.protocol === 'https:' || (environment === 'sandbox' && isOnThisMachine(url))
    ? undefined
    : 'must begin with https://';
}

/** An issuer has no query, fragment or user info (OpenID Connect Discovery 3). */
function hasMore({ search, hash, username, password }: URL): boolean {
  return [search, hash, username, password].some(part => part !== '');
}

/** Whether this provider may speak for this person: its own tenant's people alone. */
export function speaksFor(provider: Tenant, person: Tenant): boolean {
  return provider.tenantType === person.tenantType && provider.tenantId === person.tenantId;
}
