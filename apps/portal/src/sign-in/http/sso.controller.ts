import { Body, Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { cookieFor, noSsoCookie, ssoCookieFor, ssoIn } from '../../sessions/domain/cookie';
import { ForAnybody, originOf, type PortalHttpRequest } from '../../sessions/http/portal-request';
import { SessionOpener } from '../session.opener';
import { ssoMs, SsoSignInService } from '../sso-sign-in.service';
import { CompanyBody, SsoAnswerBody } from './sso.dto';

/** Signing in by the provider of one's company. */
@Controller('console/api/session/sso')
export class SsoController {
  constructor(
    private readonly sso: SsoSignInService,
    private readonly opener: SessionOpener,
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
    @Body() { answer }: SsoAnswerBody,
    @Req() request: PortalHttpRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const origin = originOf(request);
    const person = await this.sso.finish({ sealed: ssoIn(request.headers.cookie), answer, origin });
    const { secret, lifetimeS } = await this.opener.openByProvider(person, origin);
    void reply.header('set-cookie', [cookieFor(secret, lifetimeS), noSsoCookie]);
  }
}
