import { Injectable } from '@nestjs/common';
import { personAssertionLifetimeS, personAssertionType, personAudience, personClaims, ServiceTokenSigner } from '@paycode/access';
import type { PersonProof } from '@paycode/dto';
import { DomainError } from '@paycode/service-runtime';
import { PortalSessionStore } from './portal-session.store';

const as = { type: personAssertionType, audience: personAudience, lifetimeS: personAssertionLifetimeS };

/** Flow: the secret of a session of the portal's pages -> the person who is signed in by it -> asserted under the key of this service. */
@Injectable()
export class ProofService {
  constructor(
    private readonly sessions: PortalSessionStore,
    private readonly signer: ServiceTokenSigner,
  ) {}

  /** @throws DomainError 401 for a session that has ended, was silent for too long, or waits for a second factor; 503 */
  async prove(secret: string): Promise<PersonProof> {
    const person = await this.sessions.find(secret);
    if (!person) throw new DomainError({ status: 401, reason: 'NOT_SIGNED_IN', message: 'please sign in' });
    return { assertion: this.signer.sign(personClaims(person), as) };
  }
}
