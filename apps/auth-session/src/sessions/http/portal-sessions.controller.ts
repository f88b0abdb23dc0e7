import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import type { PortalAnswer, PortalApiSession } from '@paycode/dto';
import { answered, DomainError } from '@paycode/service-runtime';
import { Clock } from '@paycode/timing';
import { usernameOfTenant } from '../../accounts';
import { InternalOrigin, type Origin } from '../../audit';
import { SessionStore } from '../sessions.ports';
import { PortalSessionsBody } from './portal-sessions.dto';

const listedMax = 200;

/** Sessions that the programs of a merchant or PSP opened: its people see them in the portal, and end one. */
@Controller('internal/portal/accounts')
export class PortalSessionsController {
  constructor(
    private readonly sessions: SessionStore,
    private readonly clock: Clock,
  ) {}

  /** The newest first, at most 200, without tokens. */
  @Post('sessions')
  @HttpCode(200)
  list(@Body() body: PortalSessionsBody): Promise<PortalAnswer<PortalApiSession[]>> {
    return answered(async () => {
      const live = await this.sessions.live(usernameOfTenant(body), this.clock.epochMs(), listedMax);
      return live.map(({ id, loginKind, startedAt, expiresAt }) => ({
        sessionId: id,
        loginKind,
        startedAt: startedAt.toISOString(),
        expiresAt: expiresAt.toISOString(),
      }));
    });
  }

  /** From its next request on. One of another account looks like none (T-24). */
  @Post('end-session')
  @HttpCode(200)
  end(@Body() body: PortalSessionsBody, @InternalOrigin() origin: Origin): Promise<PortalAnswer<Record<string, never>>> {
    return answered(async () => {
      const username = usernameOfTenant(body);
      const found = body.sessionId === undefined ? undefined : await this.sessions.find(body.sessionId);
      if (!found || found.account.username !== username) throw noSuchSession();
      const event = { kind: 'SESSION_ENDED', subject: username, origin: { ...origin, actor: `portal ${body.actor}` } } as const;
      if (!(await this.sessions.end(found.session.id, event, this.clock.epochMs()))) throw noSuchSession();
      return {};
    });
  }
}

function noSuchSession(): DomainError {
  return new DomainError({ status: 404, reason: 'NO_SESSION', message: 'this session has ended already' });
}
