import { Injectable } from '@nestjs/common';
import { type InternalClient, personHeader } from '@paycode/access';
import type { PersonProof, PersonProofRequest, PortalAnswer } from '@paycode/dto';
import { DomainError } from '@paycode/service-runtime';
import { BoundedMap } from '@paycode/service-runtime/timing';
import type { ByPerson } from '../audit';
import { valueOf } from '../neighbours';

/** Headers by which another service knows for whom the portal calls it. Rejects with a DomainError: 401 for a session that has ended, 503. */
export type Proof = () => Promise<Record<string, string>>;

/** A person who acts, and whom auth-session asserts to the services that are called for it. */
export interface Proven extends ByPerson {
  proof: Proof;
}

const keptMs = 60_000;
const keptMax = 1_000;

/**
 * Assertions of the people who are signed in, by auth-session, which alone can sign them (T-27). Reads use one for a minute. A change takes one of
 * its own, so that it fails when the session has just been ended.
 */
@Injectable()
export class Proofs {
  private readonly kept = new BoundedMap<string, { assertion: Promise<string>; untilMs: number }>(keptMax);

  constructor(private readonly client: Pick<InternalClient, 'post'>) {}

  /** `secret`: of the cookie. One request is proved at most once. */
  of({ secret, sessionId }: { secret: string; sessionId: string }, isRead: boolean): Proof {
    let own: Promise<string> | undefined;
    return async () => {
      own ??= isRead ? this.recent(sessionId, secret) : this.take(secret);
      return { [personHeader]: await own };
    };
  }

  private recent(sessionId: string, secret: string): Promise<string> {
    const known = this.kept.get(sessionId);
    if (known && performance.now() < known.untilMs) return known.assertion;
    const assertion = this.take(secret);
    this.kept.set(sessionId, { assertion, untilMs: performance.now() + keptMs });
    // The next read asks again.
    assertion.catch(() => this.kept.delete(sessionId));
    return assertion;
  }

  private async take(secret: string): Promise<string> {
    const request: PersonProofRequest = { secret };
    const asked = this.client.post<PortalAnswer<PersonProof>>('/internal/console/proof', request).catch((cause: Error) => {
      const message = 'the portal cannot prove to other services who you are: try again in a moment';
      throw new DomainError({ status: 503, reason: 'PROOF_UNAVAILABLE', message, cause });
    });
    return valueOf(await asked).assertion;
  }
}
