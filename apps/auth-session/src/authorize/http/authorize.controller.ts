import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { InternalCallers } from '@paycode/access';
import type { AuthorizeAnswer } from '@paycode/dto';
import { DomainError } from '@paycode/service-runtime';
import { AuthorizeService } from '../authorize.service';
import { AuthorizeBody } from './authorize.dto';
import { denialOf, isDenial } from './refusal-answer';

/** The gateway's one question per request. 200 with the decision inside; any other status means that no decision could be made. */
@Controller('internal/authorize')
export class AuthorizeController {
  constructor(private readonly authorization: AuthorizeService) {}

  @Post()
  @HttpCode(200)
  @InternalCallers('api-gateway', 'operator')
  async authorize(@Body() request: AuthorizeBody): Promise<AuthorizeAnswer> {
    try {
      return { allowed: true, identity: await this.authorization.authorize(request) };
    } catch (error) {
      if (error instanceof DomainError && isDenial(error)) return denialOf(error, request);
      throw error;
    }
  }
}
