import { Injectable } from '@nestjs/common';
import { normalisePath } from '@paycode/access';
import type { AuthorizeRequest } from '@paycode/dto';
import { DomainError } from '@paycode/service-runtime';
import { identityOf, type Principal } from '../accounts';
import { GuessLimiter } from '../guessing';
import { badCredentials, forbidden, invalidToken } from '../refusals';
import { Authenticator } from './authorize.ports';
import { type Credential, chooseCredential } from '../sessions';
import { permits, ruleFor } from './domain/path-roles';
import { IdentityAssertions } from './identity-assertions';

/** path rule -> open? -> one credential (A-19) -> account, 401 otherwise -> role, 403 otherwise (A-44) -> identity assertion. */
@Injectable()
export class AuthorizeService {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly assertions: IdentityAssertions,
    private readonly guesses: GuessLimiter,
  ) {}

  /** The identity assertion to hand on, undefined for open paths. @throws DomainError with the client's answer */
  async authorize(request: AuthorizeRequest): Promise<string | undefined> {
    const path = normalisePath(request.path);
    // The gateway has refused such a path before it asks; another proxy may not have.
    if (!path.ok) throw new DomainError({ status: 404, code: 'PATH_REFUSED', message: 'Not Found' });
    const rule = ruleFor(path.rolePath);
    if (rule.kind === 'OPEN') return undefined;
    const identity = identityOf(await this.authenticate(chooseCredential(request.authorization), request));
    if (!permits(rule, identity)) throw forbidden();
    // Rules that let somebody in name a service; without one there is nobody to tell.
    return rule.service && this.assertions.assert(identity, { service: rule.service, method: request.method, path: path.path });
  }

  private async authenticate(credential: Credential, { address, requestId }: AuthorizeRequest): Promise<Principal> {
    switch (credential.kind) {
      case 'BASIC':
      case 'BEARER':
        return this.authenticator.authenticate(credential, { address, requestId });
      case 'MALFORMED':
        throw invalidToken();
      case 'BASIC_UNREADABLE':
        // The very answer of a wrong password, and counted like one (R-5.1-2).
        await this.guesses.failed({ way: 'basic', address, requestId });
        throw badCredentials();
      case 'NONE':
        throw badCredentials();
    }
  }
}
