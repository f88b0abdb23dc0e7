import { Injectable } from '@nestjs/common';
import { Clock } from '@paycode/timing';
import type { ClientOrigin } from '../audit';
import { invalidToken } from '../refusals';
import { AccessTokens, SessionStore } from '../sessions';

/**
 * Flow: each token -> genuine? -> its session ends, even when the token has expired or was replaced. A session that has ended already is no
 * error.
 */
@Injectable()
export class EndSessionService {
  constructor(
    private readonly tokens: AccessTokens,
    private readonly sessions: SessionStore,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError 401 `Invalid JWT token` when none of the tokens is genuine */
  async end(tokens: readonly string[], origin: ClientOrigin): Promise<void> {
    let genuine = 0;
    for (const token of new Set(tokens)) {
      const claims = await this.tokens.genuine(token);
      if (!claims) continue;
      genuine += 1;
      const event = { kind: 'SESSION_ENDED', subject: claims.subject, origin } as const;
      await this.sessions.end(claims.sessionId, event, this.clock.epochMs());
    }
    if (genuine === 0) throw invalidToken();
  }
}
