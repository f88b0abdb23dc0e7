import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DomainError } from '@paycode/service-runtime';
import type { Origin } from '../audit/audit.ports';
import { ClientSecrets } from '../identity-providers/client-secrets';
import { type Checks, OpenIdClient, ProviderStore, type SealedProvider } from '../identity-providers/identity-providers.ports';
import type { Person } from '../people/domain/person';
import { SsoPeople } from './sso-people';

/** People sign in elsewhere within this time. */
export const ssoMs = 600_000;

/** What the browser keeps for us while it is elsewhere. */
interface Begun extends Checks {
  providerId: string;
  expiresAtMs: number;
}

/** Flow: the company's name -> its provider, held to state, nonce and PKCE -> a subject -> the person that was invited. */
@Injectable()
export class SsoSignInService {
  constructor(
    private readonly providers: ProviderStore,
    private readonly openId: OpenIdClient,
    private readonly secrets: ClientSecrets,
    private readonly people: SsoPeople,
  ) {}

  /** @throws DomainError 404, 502 */
  async begin(company: string): Promise<{ url: string; sealed: string }> {
    const provider = await this.providers.byCompany(company);
    if (!provider) throw noProvider();
    const checks = { state: secret(), nonce: secret(), codeVerifier: secret() };
    const url = await this.openId.authorizationUrl(this.clientOf(provider), checks);
    const begun: Begun = { ...checks, providerId: provider.providerId, expiresAtMs: Date.now() + ssoMs };
    return { url: url.href, sealed: this.secrets.seal(JSON.stringify(begun)) };
  }

  /** `answer`: the query that the browser came back with. @throws DomainError 400, 401, 403, 429, 502 */
  async finish({ sealed, answer, origin }: { sealed: string | undefined; answer: string; origin: Origin }): Promise<Person> {
    const { providerId, ...checks } = this.read(sealed);
    const provider = await this.providers.byId(providerId);
    if (!provider) throw noProvider();
    return this.people.judge({ provider, origin }, () => this.openId.claims(this.clientOf(provider), answer, checks));
  }

  private clientOf({ clientSecretSealed, ...provider }: SealedProvider) {
    return { ...provider, clientSecret: this.secrets.open(clientSecretSealed) };
  }

  private read(sealed: string | undefined): Begun {
    try {
      const begun = JSON.parse(this.secrets.open(sealed ?? '')) as Begun;
      if (Date.now() < begun.expiresAtMs) return begun;
    } catch (cause) {
      throw notBegun(cause);
    }
    throw notBegun();
  }
}

function secret(): string {
  return randomBytes(32).toString('base64url');
}

function notBegun(cause?: unknown): DomainError {
  const message = 'this browser has begun no sign-in by a company, or it took too long: please begin anew';
  return new DomainError({ status: 400, reason: 'NOT_BEGUN', message, cause });
}

function noProvider(): DomainError {
  const message = 'no company of this name signs in here: ask your colleagues for the name, or use your password';
  return new DomainError({ status: 404, reason: 'NO_PROVIDER', message });
}
