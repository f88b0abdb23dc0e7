import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import type { PortalAnswer, PortalApiSession } from '@paycode/dto';
import { answered } from '@paycode/service-runtime';
import { IsOptional, IsUUID } from 'class-validator';
import { askedBy, TenantBody, usernameOfTenant } from '../accounts/portal-accounts.controller';
import { InternalOrigin } from '../audit/request-origin';
import type { Origin } from '../audit/security-log';
import { AccountSessionsService } from './account-sessions.service';

/** Body of the portal's calls about the sessions of an account. */
export class PortalSessionsBody extends TenantBody {
  @IsOptional()
  @IsUUID()
  sessionId?: string;
}

/** Sessions of an account that are not over, newest first. */
export interface AccountSessions {
  username: string;
  sessions: PortalApiSession[];
}

/** The sessions of one account, as operators see and end them. */
@Controller('internal/accounts/:username/sessions')
export class AccountSessionsController {
  constructor(private readonly sessions: AccountSessionsService) {}

  /** Lists the newest open sessions, at most 200, without tokens. */
  @Get()
  async list(@Param('username') username: string): Promise<AccountSessions> {
    return { username, sessions: await this.sessions.listOfKnown(username) };
  }

  /** Ends every session of the account, from its next request on, including one that is just being opened. */
  @Post('end-all')
  @HttpCode(200)
  async endAll(@Param('username') username: string, @InternalOrigin() origin: Origin): Promise<AccountSessions> {
    await this.sessions.endAll(username, origin);
    return { username, sessions: [] };
  }
}

/** Sessions that the programs of a merchant or PSP opened: its people see them in the portal, and end one. */
@Controller('internal/portal/accounts')
export class PortalSessionsController {
  constructor(private readonly sessions: AccountSessionsService) {}

  /** The newest first, at most 200, without tokens. */
  @Post('sessions')
  @HttpCode(200)
  list(@Body() body: PortalSessionsBody): Promise<PortalAnswer<PortalApiSession[]>> {
    return answered(() => this.sessions.list(usernameOfTenant(body)));
  }

  /** From its next request on. One of another account looks like none (T-24). */
  @Post('end-session')
  @HttpCode(200)
  end(@Body() body: PortalSessionsBody, @InternalOrigin() origin: Origin): Promise<PortalAnswer<Record<string, never>>> {
    return answered(async () => {
      await this.sessions.end(usernameOfTenant(body), body.sessionId, askedBy(body, origin));
      return {};
    });
  }
}
