import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DomainError } from '@paycode/service-runtime';
import { AuditLog, type Origin } from '../audit';
import { refusal } from '../neighbours';
import type { Person } from '../people/domain/person';
import { PeopleStore } from '../people/people.store';
import { SignInLimiter } from '../sign-in/sign-in-limiter';
import { type Claims, speaksFor } from './domain/identity-provider';
import { ProviderStore, type SealedProvider } from './identity-provider.store';
import { ClientSecrets } from './identity-providers.service';
import { type Checks, OpenIdClient } from './open-id.client';

/** People sign in elsewhere within this time. */
export const ssoMs = 600_000;

/** The browser keeps this, sealed in a cookie, while the person signs in at the provider. */
interface Begun extends Checks {
  providerId: string;
  expiresAtMs: number;
}

/** `company`: whose redirect URI the browser came back to; `answer`: the query that it came back with. */
export interface SsoAnswer {
  sealed: string | undefined;
  company: string;
  answer: string;
  origin: Origin;
}

/** Flow: the company's name -> its provider, held to state, nonce and PKCE -> a subject -> the person that was invited. */
@Injectable()
export class SsoService {
  constructor(
    private readonly providers: ProviderStore,
    private readonly openId: OpenIdClient,
    private readonly secrets: ClientSecrets,
    private readonly people: PeopleStore,
    private readonly limiter: SignInLimiter,
    private readonly audit: AuditLog,
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

  /** @throws DomainError 400, 401, 403, 429, 502 */
  async finish({ sealed, company, answer, origin }: SsoAnswer): Promise<Person> {
    const { providerId, ...checks } = this.read(sealed);
    const provider = await this.providers.byId(providerId);
    if (!provider) throw noProvider();
    if (provider.company !== company) throw otherCompany();
    return this.judge({ provider, state: checks.state, origin }, () =>
      this.openId.claims(this.clientOf(provider), answer, checks),
    );
  }

  /**
   * Answers count as guesses do, each for the sign-in that it ends: wrong ones of one browser refuse no colleague behind its address.
   * @throws DomainError 401, 403, 429, 502
   */
  private async judge(
    { provider, state, origin }: { provider: SealedProvider; state: string; origin: Origin },
    prove: () => Promise<Claims>,
  ): Promise<Person> {
    let problem: unknown;
    const guess = { identity: `sso:${state}`, address: origin.address, personId: () => Promise.resolve(null) };
    const person = await this.limiter.judge(guess, async () => {
      try {
        return await this.personOf(provider, await prove(), origin);
      } catch (error) {
        problem = error;
        return undefined;
      }
    });
    if (person) return person;
    const detail = { company: provider.company };
    await this.audit.record({ personId: null, personName: 'unknown', action: 'SIGN_IN_FAILED', origin, detail });
    throw problem;
  }

  /** Known by the subject; the first time, by an address that the provider has verified, and only somebody invited. */
  private async personOf(provider: SealedProvider, claims: Claims, origin: Origin): Promise<Person> {
    const known = await this.providers.personOf(provider.providerId, claims.subject);
    const person = known === undefined ? await this.linked(provider, claims, origin) : (await this.people.byId(known))?.person;
    // A person may have moved to another tenant since.
    if (!person || !speaksFor(provider, person)) throw notInvited();
    return person;
  }

  private async linked(provider: SealedProvider, { subject, email, isEmailVerified }: Claims, origin: Origin): Promise<Person> {
    if (email === undefined || !isEmailVerified) throw unverified();
    const { tenantType, tenantId } = provider;
    const person = (await this.people.ofAddress({ email, tenantType, tenantId }))?.person;
    if (!person || !speaksFor(provider, person)) throw notInvited();
    if (!(await this.providers.link(provider.providerId, subject, person.personId))) throw otherSubject();
    const { personId, name: personName } = person;
    await this.audit.record({ personId, personName, action: 'IDENTITY_LINKED', origin, detail: { company: provider.company } });
    return person;
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

const notBegun = (cause?: unknown) =>
  refusal([400, 'NOT_BEGUN'], 'this browser has begun no sign-in by a company, or it took too long: please begin anew', cause);

/** The provider of one company leads to that of another, to get its codes (RFC 9700 4.4). */
function otherCompany(): DomainError {
  const message =
    'another company answered than the one you began with: please begin anew, and tell your colleagues if it happens again';
  return new DomainError({ status: 401, reason: 'SSO_OTHER_COMPANY', message });
}

const noProvider = () =>
  refusal([404, 'NO_PROVIDER'], 'no company of this name signs in here: ask your colleagues for the name, or use your password');
/** One answer for nobody and for a person of another tenant (T-24). */
const notInvited = () =>
  refusal(
    [403, 'NOT_INVITED'],
    'your company’s sign-in knows you, but nobody has invited you here: ask an owner of your account',
  );
const unverified = () =>
  refusal([403, 'EMAIL_UNVERIFIED'], 'your company’s sign-in has not verified your e-mail address: ask whoever runs it');
/** Addresses are given to others; subjects are not. */
const otherSubject = () =>
  refusal([403, 'OTHER_SUBJECT'], 'your company’s sign-in named somebody else with this e-mail address before: ask support');
