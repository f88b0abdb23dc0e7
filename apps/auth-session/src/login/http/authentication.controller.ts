import { Body, Controller, Header, HttpCode, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type ClientOrigin, ClientRequest } from '../../audit';
import { chooseCredential, type LoginSession } from '../../sessions';
import { EndSessionService } from '../end-session.service';
import { LoginService } from '../login.service';
import { RenewSessionService } from '../renew-session.service';
import { LoginBody, LogoutBody, RenewBody } from './authentication.dto';

/** Endpoints of section 4.1. The paths are open, because their secret is in the request itself. */
@Controller('authentication')
export class AuthenticationController {
  constructor(
    private readonly logins: LoginService,
    private readonly renewals: RenewSessionService,
    private readonly ends: EndSessionService,
  ) {}

  @Post('login')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  login(@Body() body: LoginBody, @ClientRequest() origin: ClientOrigin): Promise<LoginSession> {
    const { identity, password, base64EncodedChallengeHash, base64EncodedChallengeResponse } = body;
    const answer =
      base64EncodedChallengeHash !== undefined && base64EncodedChallengeResponse !== undefined
        ? { base64EncodedChallengeHash, base64EncodedChallengeResponse }
        : undefined;
    return this.logins.login({ identity, password, answer, origin });
  }

  @Post('renew')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  renew(@Body() body: RenewBody, @ClientRequest() origin: ClientOrigin): Promise<LoginSession> {
    return this.renewals.renew(body.jwt, origin);
  }

  /** The specification does not define the body of the answer; an empty object is JSON (R-4-1). */
  @Post('logout')
  @HttpCode(200)
  async logout(
    @Body() body: LogoutBody,
    @ClientRequest() origin: ClientOrigin,
    @Req() request: FastifyRequest,
  ): Promise<Record<string, never>> {
    const credential = chooseCredential(request.raw.headersDistinct['authorization'] ?? []);
    const tokens = [body.jwt, credential.kind === 'BEARER' ? credential.token : undefined];
    await this.ends.end(
      tokens.filter(token => typeof token === 'string'),
      origin,
    );
    return {};
  }
}
