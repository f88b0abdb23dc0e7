import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger } from '@paycode/service-runtime';
import { counter } from '@paycode/metrics';
import { Clock } from '@paycode/timing';
import type { ClientOrigin } from '../audit';
import type { AccessClaims } from './domain/access-token';
import type { SessionRules } from './open-session.service';
import { SessionStore } from './sessions.ports';

const reusedTotal = counter(
  'paycode_auth_session_tokens_reused_total',
  'Sessions ended because somebody tried to renew a replaced token.',
);

/**
 * Flow: a genuine token that was replaced comes again -> two parties have the session, and one stole it -> the session ends (ADR
 * 0029).
 */
@Injectable()
export class ReusedTokens {
  constructor(
    private readonly sessions: SessionStore,
    private readonly clock: Clock,
    @Inject('SessionRules') private readonly rules: SessionRules,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Ends the session of a genuine token, unless it is the current token or was replaced within the grace period. */
  async endIfReused({ subject, sessionId, tokenId }: AccessClaims, origin: ClientOrigin): Promise<void> {
    const found = await this.sessions.find(sessionId);
    if (!found || found.session.revokedAt !== null || found.session.tokenId === tokenId) return;
    const event = { kind: 'TOKEN_REUSED', subject, origin } as const;
    const time = { nowMs: this.clock.epochMs(), graceMs: this.rules.renewGraceMs };
    if (!(await this.sessions.endReused({ sessionId, tokenId }, event, time))) return;
    reusedTotal.inc();
    const { address, requestId } = origin;
    this.logger.warn(
      { event: 'token-reused', username: subject, address, requestId },
      'somebody tried to renew a replaced token; its session was ended',
    );
  }
}
