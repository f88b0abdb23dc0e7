import { Body, Controller, Header, HttpCode, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { IsOptional, IsString, Length, Matches, MaxLength, ValidateIf } from 'class-validator';
import { ClientRequest } from '../audit/request-origin';
import type { ClientOrigin } from '../audit/security-log';
import { chooseCredential } from '../sessions/domain/authorization-header';
import { type LoginSession, SessionsService } from '../sessions/sessions.service';
import { LoginService } from './login.service';

const tokenCharsMax = 8_192;

/**
 * One challenge field without the other would be an ambiguous downgrade, so both are required when one is present. null counts as absent, as
 * in every optional field: JSON libraries write absent fields as null.
 */
const namesChallenge = (body: LoginBody) =>
  (body.base64EncodedChallengeHash ?? body.base64EncodedChallengeResponse ?? null) !== null;

export class LoginBody {
  // No account name contains a control character, so refusing one as malformed reveals nothing about an account (R-5.1-2).
  /** The user name. */
  @IsString()
  @Length(1, 256)
  @Matches(/^\P{Cc}*$/u, { message: 'identity must not hold control characters' })
  identity!: string;

  @IsString()
  @Length(1, 1_024)
  password!: string;

  /** base64 SHA-256 of the encrypted server challenge (R-4.1-5). */
  @ValidateIf(namesChallenge)
  @IsString()
  @MaxLength(256)
  base64EncodedChallengeHash?: string | null;

  /** base64 SHA-256 of the decrypted server challenge (R-4.1-6). */
  @ValidateIf(namesChallenge)
  @IsString()
  @MaxLength(256)
  base64EncodedChallengeResponse?: string | null;
}

export class RenewBody {
  @IsString()
  @Length(1, tokenCharsMax)
  jwt!: string;
}

export class LogoutBody {
  @IsOptional()
  @IsString()
  @MaxLength(tokenCharsMax)
  jwt?: string;
}

/** Endpoints of section 4.1. The paths are open, because their secret is in the request itself. */
@Controller('authentication')
export class AuthenticationController {
  constructor(
    private readonly logins: LoginService,
    private readonly sessions: SessionsService,
  ) {}

  @Post('login')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  login(@Body() body: LoginBody, @ClientRequest() origin: ClientOrigin): Promise<LoginSession> {
    const { identity, password, base64EncodedChallengeHash, base64EncodedChallengeResponse } = body;
    const answer =
      typeof base64EncodedChallengeHash === 'string' && typeof base64EncodedChallengeResponse === 'string'
        ? { base64EncodedChallengeHash, base64EncodedChallengeResponse }
        : undefined;
    return this.logins.login({ identity, password, answer, origin });
  }

  @Post('renew')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  renew(@Body() body: RenewBody, @ClientRequest() origin: ClientOrigin): Promise<LoginSession> {
    return this.sessions.renew(body.jwt, origin);
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
    await this.sessions.end(
      tokens.filter(token => typeof token === 'string'),
      origin,
    );
    return {};
  }
}
