import { Body, Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { IsString, Length, Matches } from 'class-validator';
import type { FastifyReply } from 'fastify';
import { noSsoCookie, ssoCookieFor, ssoIn } from '../sessions/domain/session';
import { ForAnybody, originOf, type PortalHttpRequest } from '../sessions/portal.guard';
import { SessionsService } from '../sessions/sessions.service';
import { ssoMs, SsoService } from './sso.service';

export class CompanyBody {
  @Matches(/^[a-z0-9][a-z0-9-]{1,39}$/, { message: 'company must be 2 to 40 small letters, digits and hyphens' })
  company!: string;
}

export class SsoAnswerBody extends CompanyBody {
  /** The query that the provider sent the browser back with. */
  @IsString()
  @Length(1, 4_000)
  answer!: string;
}

/** Signing in by the provider of one's company. */
@Controller('console/api/session/sso')
export class SsoController {
  constructor(
    private readonly sso: SsoService,
    private readonly sessions: SessionsService,
  ) {}

  @Post('begin')
  @HttpCode(200)
  @ForAnybody()
  async begin(@Body() { company }: CompanyBody, @Res({ passthrough: true }) reply: FastifyReply): Promise<{ url: string }> {
    const { url, sealed } = await this.sso.begin(company);
    void reply.header('set-cookie', ssoCookieFor(sealed, ssoMs / 1_000));
    return { url };
  }

  /** The page that the provider leads to sends this on: it is one of ours, so the browser adds its cookie. */
  @Post()
  @HttpCode(204)
  @ForAnybody()
  async finish(
    @Body() { company, answer }: SsoAnswerBody,
    @Req() request: PortalHttpRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const origin = originOf(request);
    const person = await this.sso.finish({ sealed: ssoIn(request.headers.cookie), company, answer, origin });
    const { cookies } = await this.sessions.openByProvider(person, origin);
    void reply.header('set-cookie', [...cookies, noSsoCookie]);
  }
}
