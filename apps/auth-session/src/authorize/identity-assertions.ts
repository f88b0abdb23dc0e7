import { Injectable } from '@nestjs/common';
import { type AssertedRequest, signIdentityAssertion } from '@paycode/access';
import type { Identity } from '@paycode/dto';
import { BoundedMap, Clock } from '@paycode/service-runtime/timing';
import { ServiceKeys } from '../keys/service-keys';

/** An assertion may be reused for this long, in milliseconds, so that at least 20 of its 30 seconds are left. */
const reuseMs = 10_000;
const keptMax = 10_000;
/** Assertions of longer paths are not kept, so that the memory of the cache is bounded too. */
const keptPathCharsMax = 256;

/**
 * Signs the identity of the caller for one request. The same caller, method and path get the same assertion for a few seconds. Reuse is
 * safe, because authorize decides before it asks for an assertion.
 */
@Injectable()
export class IdentityAssertions {
  private readonly kept = new BoundedMap<string, KeptAssertion>(keptMax);

  constructor(
    private readonly keys: ServiceKeys,
    private readonly clock: Clock,
  ) {}

  async assert(identity: Identity, request: AssertedRequest): Promise<string> {
    const { kid, key } = await this.keys.identity.current();
    const nowMs = this.clock.epochMs();
    // Methods and paths contain no blank, so different requests have different keys; the path determines the service.
    const name = `${request.method} ${request.path} ${identity.subject}`;
    const kept = this.kept.get(name);
    const isFresh = kept?.kid === kid && nowMs >= kept.madeAtMs && nowMs - kept.madeAtMs < reuseMs;
    if (isFresh && isSame(kept.identity, identity)) return kept.assertion;
    const assertion = signIdentityAssertion({ identity, request }, { kid, privateKey: key }, Math.floor(nowMs / 1_000));
    if (request.path.length <= keptPathCharsMax) this.kept.set(name, { assertion, identity, kid, madeAtMs: nowMs });
    return assertion;
  }
}

interface KeptAssertion {
  assertion: string;
  identity: Identity;
  kid: string;
  madeAtMs: number;
}

/** Does not compare roles, because the account type determines them. */
function isSame(left: Identity, right: Identity): boolean {
  return left.accountType === right.accountType && left.ownerId === right.ownerId && left.acquirer === right.acquirer;
}
