import { Controller, Get, Header, Query } from '@nestjs/common';
import { IsString, Length, Matches, MaxLength } from 'class-validator';
import { ClientRequest } from '../audit/request-origin';
import type { ClientOrigin } from '../audit/security-log';
import { ChallengesService, type LoginChallenge } from './challenges.service';

export class LoginChallengesQuery {
  // No account name contains a control character, so refusing one as malformed reveals nothing about an account (R-5.1-2).
  /** The user name. */
  @IsString()
  @Length(1, 256)
  @Matches(/^\P{Cc}*$/u, { message: 'identity must not hold control characters' })
  identity!: string;

  /** URL-encoded base64 of 64 bytes encrypted to the service key (R-4.1-3). */
  @IsString()
  @MaxLength(2_048)
  clientChallenge!: string;
}

@Controller('authentication/login-challenges')
export class LoginChallengesController {
  constructor(private readonly challenges: ChallengesService) {}

  @Get()
  @Header('cache-control', 'no-store')
  issue(@Query() query: LoginChallengesQuery, @ClientRequest() origin: ClientOrigin): Promise<LoginChallenge> {
    return this.challenges.issue({ ...query, address: origin.address });
  }
}
