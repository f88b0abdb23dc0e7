import { Injectable } from '@nestjs/common';
import { normalisePath } from '@paycode/access';
import type { AuthorizeAnswer, AuthorizeRequest, Identity } from '@paycode/dto';
import { DomainError } from '@paycode/service-runtime';
import { identityOf, type Principal } from '../accounts/domain/account';
import { EventCounts } from '../audit/event-counts';
import { GuessLimiter } from '../guessing/guess-limiter';
import { badCredentials, forbidden, invalidToken } from '../refusals';
import { type Credential, chooseCredential } from '../sessions/domain/authorization-header';
import { type PathRule, permits, personalDataOf, ruleFor } from './domain/path-roles';
import { IdentityAssertions } from './identity-assertions';
import { PassportAuthenticator } from './passport-authenticator';

/** Flow: path rule -> open? -> one credential (A-19) -> account, else 401 -> role, else 403 (A-44) -> identity assertion. */
@Injectable()
export class AuthorizeService {
  constructor(
    private readonly authenticator: PassportAuthenticator,
    private readonly assertions: IdentityAssertions,
    private readonly guesses: GuessLimiter,
    private readonly events: EventCounts,
  ) {}

  /** Returns the identity assertion to forward, none for open paths. @throws DomainError with the client's answer */
  async authorize(request: AuthorizeRequest): Promise<Omit<Extract<AuthorizeAnswer, { allowed: true }>, 'allowed'>> {
    const path = normalisePath(request.path);
    // The gateway refuses such a path before it asks; another proxy may not.
    if (!path.ok) throw new DomainError({ status: 404, reason: 'PATH_REFUSED', message: 'Not Found' });
    const rule = ruleFor(path.rolePath);
    if (rule.kind === 'OPEN') return {};
    const credential = chooseCredential(request.authorization);
    const principal = await this.authenticate(credential, request);
    const identity = identityOf(principal);
    this.note({ rule, rolePath: path.rolePath, kind: credential.kind }, identity, request);
    if (!permits(rule, identity)) throw forbidden();
    // Every rule that admits callers names a service; without a service nobody needs an assertion.
    if (!rule.service) return {};
    const asked = { service: rule.service, method: request.method, path: path.path };
    return {
      identity: await this.assertions.assert(identity, asked),
      ...(principal.ratePerS !== null && { ratePerS: principal.ratePerS }),
    };
  }

  /** Counts the events that auditors need, per account and address: use of Basic, denials, reads of personal data. */
  private note(
    asked: { rule: PathRule; rolePath: string; kind: Credential['kind'] },
    identity: Identity,
    request: AuthorizeRequest,
  ): void {
    const { subject } = identity;
    const origin = { actor: 'client', address: request.address, requestId: request.requestId };
    if (asked.kind === 'BASIC') this.events.note({ kind: 'BASIC_USED', subject, origin });
    if (!permits(asked.rule, identity)) this.events.note({ kind: 'ACCESS_DENIED', subject, origin });
    else {
      const data = personalDataOf(asked.rolePath);
      if (data !== undefined) this.events.note({ kind: 'PERSONAL_DATA_READ', subject, origin, detail: data });
    }
  }

  private async authenticate(credential: Credential, { address, requestId }: AuthorizeRequest): Promise<Principal> {
    switch (credential.kind) {
      case 'BASIC':
      case 'BEARER':
        return this.authenticator.authenticate(credential, { address, requestId });
      case 'MALFORMED':
        throw invalidToken();
      case 'BASIC_UNREADABLE':
        // It gets the same answer as a wrong password, and is counted like one (R-5.1-2).
        this.events.note({
          kind: 'BASIC_FAILED',
          subject: null,
          origin: { actor: 'client', address, requestId },
          detail: 'unreadable',
        });
        await this.guesses.failed({ way: 'basic', address, requestId });
        throw badCredentials();
      case 'NONE':
        throw badCredentials();
    }
  }
}
