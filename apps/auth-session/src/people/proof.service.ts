import { Injectable } from '@nestjs/common';
import {
  alertAssertionType,
  invitationAssertionType,
  personAssertionLifetimeS,
  personAssertionType,
  personAudience,
  personClaims,
  ServiceTokenSigner,
} from '@paycode/access';
import type { Addressee, OwnersRequest, PersonProof } from '@paycode/dto';
import { DomainError } from '@paycode/service-runtime';
import { PortalPeopleStore } from './portal-people.store';

const as = { audience: personAudience, lifetimeS: personAssertionLifetimeS };

/** Flow: the secret of a session or an invitation of the portal -> whose it is -> asserted under the key of this service. */
@Injectable()
export class ProofService {
  constructor(
    private readonly people: PortalPeopleStore,
    private readonly signer: ServiceTokenSigner,
  ) {}

  /** @throws DomainError 401 for a session that has ended, was silent for too long, or waits for a second factor; 503 */
  async prove(secret: string): Promise<PersonProof> {
    const person = await this.people.signedIn(secret);
    if (!person) throw new DomainError({ status: 401, reason: 'NOT_SIGNED_IN', message: 'please sign in' });
    return { assertion: this.signer.sign(personClaims(person), { ...as, type: personAssertionType }) };
  }

  /** Names the address to mail. @throws DomainError 409 for one that was used, has expired or was replaced by a later one; 503 */
  async proveInvited(secret: string): Promise<PersonProof> {
    const invited = await this.people.invited(secret);
    if (!invited) throw new DomainError({ status: 409, reason: 'NOT_INVITED', message: 'no invitation with this secret waits' });
    return { assertion: this.signer.sign(invited, { ...as, type: invitationAssertionType }) };
  }

  /** Names the address to mail. @throws DomainError 409 for one of somebody who left, or older than a day; 503 */
  async proveAlerted(secret: string): Promise<PersonProof> {
    const alerted = await this.people.alerted(secret);
    if (!alerted) throw new DomainError({ status: 409, reason: 'NOT_ALERTED', message: 'no alert with this secret waits' });
    return { assertion: this.signer.sign(alerted, { ...as, type: alertAssertionType }) };
  }

  /** As the store says. @throws DomainError 503 */
  owners(request: OwnersRequest): Promise<Addressee[][]> {
    return this.people.owners(request);
  }
}
