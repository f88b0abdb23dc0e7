import type { Claims, IdentityProvider } from './domain/identity-provider';

export interface SealedProvider extends IdentityProvider {
  clientSecretSealed: string;
}

export abstract class ProviderStore {
  /** In place of the tenant's one, whose subjects are forgotten with it. false: another tenant has this company name. */
  abstract set(provider: Omit<SealedProvider, 'providerId'>): Promise<boolean>;
  abstract byCompany(company: string): Promise<SealedProvider | undefined>;
  abstract byId(providerId: string): Promise<SealedProvider | undefined>;
  abstract list(): Promise<IdentityProvider[]>;
  /** false: there is none. */
  abstract remove(company: string): Promise<boolean>;
  /** Whose this subject is. */
  abstract personOf(providerId: string, subject: string): Promise<string | undefined>;
  /** false: the subject is somebody else's, or the person has another subject. */
  abstract link(providerId: string, subject: string, personId: string): Promise<boolean>;
}

/** A client of a provider, with its secret. */
export interface ClientOf extends IdentityProvider {
  clientSecret: string;
}

/** What one sign-in is held to; in the browser's cookie until it comes back. */
export interface Checks {
  state: string;
  nonce: string;
  codeVerifier: string;
}

/** Speaks OpenID Connect with providers. */
export abstract class OpenIdClient {
  /** Where the browser goes. @throws DomainError 502 when the provider does not answer as one */
  abstract authorizationUrl(client: ClientOf, checks: Checks): Promise<URL>;
  /** `answer`: the query that the browser came back with. @throws DomainError 401 when it does not prove anything, 502 */
  abstract claims(client: ClientOf, answer: string, checks: Checks): Promise<Claims>;
}
