import { Injectable } from '@nestjs/common';
import { DomainError } from '@paycode/service-runtime';
import { begunAnew, Ceremonies } from '../passkeys/ceremonies';
import { type Passkey, PasskeyStore } from '../passkeys/passkeys.ports';
import { type Attestation, WebAuthn } from '../passkeys/web-authn';
import { newRecoveryCodes } from '../people/recovery-codes';
import { secretHash } from '../people/secret-hash';
import type { PersonAsking } from './person-asking';
import { SecondFactorChanges } from './second-factor-changes';

interface Named {
  sealed: string;
  name: string;
  attestation: Attestation;
}

/** Flow: the own password -> a challenge -> answered by a new passkey -> kept under a name; and taken away again by whoever knows the password. */
@Injectable()
export class OwnPasskeysService {
  constructor(
    private readonly passkeys: PasskeyStore,
    private readonly ceremonies: Ceremonies,
    private readonly webAuthn: WebAuthn,
    private readonly changes: SecondFactorChanges,
  ) {}

  list(personId: string): Promise<Passkey[]> {
    return this.passkeys.ofPerson(personId);
  }

  /** `current`: the own password; null in a session that this very password began minutes ago. @throws DomainError 401, 429 */
  async begin(current: string | null, { person, origin }: PersonAsking) {
    if (current !== null) await this.changes.demand(current, { person, origin });
    const { sealed, challenge } = this.ceremonies.begin({ purpose: 'ADD', personId: person.personId });
    const known = await this.passkeys.credentialsOf(person.personId);
    return { sealed, options: await this.webAuthn.creationOptions(person, challenge, known) };
  }

  /** Recovery codes, shown this once, with the first passkey of whoever has none. @throws DomainError 400, 409 */
  async add({ sealed, name, attestation }: Named, asking: PersonAsking): Promise<string[]> {
    const { personId } = asking.person;
    const ceremony = this.ceremonies.resume(sealed, { purpose: 'ADD', personId });
    const created = await this.webAuthn.created(attestation, ceremony);
    const codes = newRecoveryCodes();
    const added = await this.passkeys.add({ ...created, personId, name }, ceremony, codes.map(secretHash));
    if (added !== 'ADDED' && added !== 'ADDED_WITH_CODES') throw notAdded(added);
    await this.changes.done('PASSKEY_ADDED', asking, { passkey: name });
    return added === 'ADDED_WITH_CODES' ? codes : [];
  }

  /** @throws DomainError 401, 404, 429 */
  async remove({ passkeyId, current }: { passkeyId: string; current: string }, asking: PersonAsking): Promise<void> {
    await this.changes.demand(current, asking);
    if (!(await this.passkeys.remove(asking.person.personId, passkeyId)))
      throw new DomainError({ status: 404, reason: 'NO_PASSKEY', message: 'you have no such passkey' });
    await this.changes.done('PASSKEY_REMOVED', asking, { passkeyId });
  }
}

function notAdded(why: 'KNOWN' | 'TOO_MANY' | 'REPLAYED'): DomainError {
  if (why === 'REPLAYED') return begunAnew();
  const message = why === 'KNOWN' ? 'this passkey is known already' : 'ten passkeys are the most: remove one first';
  return new DomainError({ status: 409, reason: `PASSKEY_${why}`, message });
}
