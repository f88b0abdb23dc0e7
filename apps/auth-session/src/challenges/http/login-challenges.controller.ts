import { Controller, Get, Header, Query } from '@nestjs/common';
import { type ClientOrigin, ClientRequest } from '../../audit';
import { IssueChallengeService, type LoginChallenge } from '../issue-challenge.service';
import { LoginChallengesQuery } from './login-challenges.dto';

@Controller('authentication/login-challenges')
export class LoginChallengesController {
  constructor(private readonly issuing: IssueChallengeService) {}

  @Get()
  @Header('cache-control', 'no-store')
  issue(@Query() query: LoginChallengesQuery, @ClientRequest() origin: ClientOrigin): Promise<LoginChallenge> {
    return this.issuing.issue({ ...query, address: origin.address });
  }
}
