import { Body, Controller, Get, HttpCode, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Origin } from '../../audit/audit.ports';
import type { Person } from '../../people/domain/person';
import { PeopleStore } from '../../people/people.ports';
import { cookieFor } from '../../sessions/domain/cookie';
import { AskedBy, type Asking, AtStages, ClientOrigin, ForAnybody, Needs, SignedIn } from '../../sessions/http/portal-request';
import type { OpenedSession } from '../../sessions/sessions.ports';
import { ChoosePasswordService } from '../choose-password.service';
import { InviteColleagueService } from '../invite-colleague.service';
import { passwordFor } from '../password-for';
import { SecondFactorService } from '../second-factor.service';
import { SessionOpener } from '../session.opener';
import { AcceptBody, ChangePasswordBody, CodeBody, EnrolBody, InviteColleagueBody } from './sign-in.dto';

/** What a person does about its own password and app, and whom it lets in. */
@Controller('console/api')
export class SecurityController {
  constructor(
    private readonly secondFactor: SecondFactorService,
    private readonly choosePassword: ChoosePasswordService,
    private readonly inviteColleague: InviteColleagueService,
    private readonly people: PeopleStore,
    private readonly opener: SessionOpener,
  ) {}

  @Post('totp')
  @HttpCode(200)
  @AtStages('FULL', 'ENROL_DUE')
  begin(@SignedIn() { person }: OpenedSession): { sealed: string; url: string; secret: string } {
    return this.secondFactor.begin(person);
  }

  @Post('totp/confirm')
  @HttpCode(200)
  @AtStages('FULL', 'ENROL_DUE')
  async enrol(
    @Body() { current, ...body }: EnrolBody,
    @AskedBy() { session, person, origin }: Asking,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<{ recoveryCodes: string[] }> {
    const given = { ...body, current: passwordFor(session, current) };
    const recoveryCodes = await this.secondFactor.enrol(given, { person, sessionId: session.sessionId, origin });
    const { secret, lifetimeS } = await this.opener.openFull(person, origin, session.sessionId);
    void reply.header('set-cookie', cookieFor(secret, lifetimeS));
    return { recoveryCodes };
  }

  @Post('totp/remove')
  @HttpCode(204)
  async remove(@Body() { code }: CodeBody, @AskedBy() { session, person, origin }: Asking): Promise<void> {
    await this.secondFactor.remove(code, { person, sessionId: session.sessionId, origin });
  }

  @Post('password')
  @HttpCode(204)
  async changePassword(@Body() body: ChangePasswordBody, @AskedBy() { session, person, origin }: Asking): Promise<void> {
    await this.choosePassword.change(body, { person, sessionId: session.sessionId, origin });
  }

  @Post('invitations/accept')
  @HttpCode(204)
  @ForAnybody()
  async accept(@Body() body: AcceptBody, @ClientOrigin() origin: Origin): Promise<void> {
    await this.choosePassword.accept(body, origin);
  }

  @Get('people')
  colleagues(@SignedIn() { person }: OpenedSession): Promise<Person[]> {
    return this.people.ofTenant(person);
  }

  /** Into one's own tenant only. */
  @Post('invitations')
  @HttpCode(201)
  @Needs('INVITE')
  invite(@Body() { current, ...colleague }: InviteColleagueBody, @AskedBy() asking: Asking): Promise<Person> {
    return this.inviteColleague.invite(colleague, current, asking);
  }
}
