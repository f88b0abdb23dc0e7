import { Injectable } from '@nestjs/common';
import { type AssertedRequest, signIdentityAssertion } from '@paycode/access';
import type { Identity } from '@paycode/dto';
import { Clock } from '@paycode/timing';
import { ServiceKeys } from '../keys';

/** An assertion may be handed out again for this long, in milliseconds: at least 20 of its 30 seconds are left then. */
const reuseMs = 10_000;
const keptMax = 10_000;
/** Assertions of longer paths are not kept: what is kept is bounded in bytes too. */
const keptPathCharsMax = 256;

/**
 * Signs who is calling, for the one request that was asked about. The same caller, method and path get the same assertion for a few seconds:
 * whether the request is allowed was decided before anyone asks for it.
 */
@Injectable()
export class IdentityAssertions {
  private readonly kept = new Map<string, KeptAssertion>();

  constructor(
    private readonly keys: ServiceKeys,
    private readonly clock: Clock,
  ) {}

  async assert(identity: Identity, request: AssertedRequest): Promise<string> {
    const { kid, key } = await this.keys.identity.current();
    const nowMs = this.clock.epochMs();
    // No method or path holds a blank, so no two requests share a key; the service follows from the path.
    const name = `${request.method} ${request.path} ${identity.subject}`;
    const kept = this.kept.get(name);
    const isFresh = kept?.kid === kid && nowMs >= kept.madeAtMs && nowMs - kept.madeAtMs < reuseMs;
    if (isFresh && isSame(kept.identity, identity)) return kept.assertion;
    const assertion = signIdentityAssertion({ identity, request }, { kid, privateKey: key }, Math.floor(nowMs / 1_000));
    if (request.path.length <= keptPathCharsMax) this.keep(name, { assertion, identity, kid, madeAtMs: nowMs });
    return assertion;
  }

  private keep(name: string, kept: KeptAssertion): void {
    if (this.kept.size >= keptMax) this.kept.clear();
    this.kept.set(name, kept);
  }
}

interface KeptAssertion {
  assertion: string;
  identity: Identity;
  kid: string;
  madeAtMs: number;
}

/** Roles follow from the type. */
function isSame(left: Identity, right: Identity): boolean {
  return left.accountType === right.accountType && left.ownerId === right.ownerId && left.acquirer === right.acquirer;
}
