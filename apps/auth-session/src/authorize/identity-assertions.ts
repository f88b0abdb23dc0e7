import { Injectable } from '@nestjs/common';
import { signIdentityAssertion } from '@paycode/access';
import type { Identity } from '@paycode/dto';
import { Clock } from '../clock';
import { ServiceKeys } from '../keys';

/** An assertion may be handed out again for this long, in milliseconds: at least 20 of its 30 seconds are left then. */
const reuseMs = 10_000;
const keptMax = 10_000;

/**
 * Signs who is calling. One identity gets the same assertion for a few seconds: it says nothing about the request, and whether the
 * request is allowed was decided before anyone asks for it.
 */
@Injectable()
export class IdentityAssertions {
  private readonly kept = new Map<string, KeptAssertion>();

  constructor(
    private readonly keys: ServiceKeys,
    private readonly clock: Clock,
  ) {}

  async assert(identity: Identity): Promise<string> {
    const { kid, key } = await this.keys.identity.current();
    const nowMs = this.clock.nowMs();
    const kept = this.kept.get(identity.subject);
    const isFresh = kept?.kid === kid && nowMs >= kept.madeAtMs && nowMs - kept.madeAtMs < reuseMs;
    if (isFresh && isSame(kept.identity, identity)) return kept.assertion;
    const assertion = signIdentityAssertion(identity, { kid, privateKey: key }, Math.floor(nowMs / 1_000));
    if (this.kept.size >= keptMax) this.kept.clear();
    this.kept.set(identity.subject, { assertion, identity, kid, madeAtMs: nowMs });
    return assertion;
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
