import { Body, Controller, Get, Header, HttpCode, Post, Req } from '@nestjs/common';
import type { PortalAccount } from '@paycode/dto';
import { Needs, originOf, type PortalHttpRequest } from '../../sessions';
import { CredentialsService, type CredentialsCaller } from '../credentials.service';
import { CurrentPasswordBody, ClientKeyBody } from './credentials.dto';

/** How the programs of the person's merchant or PSP sign in to the API. */
@Controller('console/api/credentials')
export class CredentialsController {
  constructor(private readonly access: CredentialsService) {}

  @Get()
  show(@Req() request: PortalHttpRequest): Promise<PortalAccount> {
    return this.access.show(askingOf(request));
  }

  /** The answer holds the password, this once. */
  @Post('password')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  @Needs('CREDENTIALS')
  newPassword(@Body() { current }: CurrentPasswordBody, @Req() request: PortalHttpRequest): Promise<{ apiPassword: string }> {
    return this.access.newPassword(current, askingOf(request));
  }

  @Post('public-key')
  @HttpCode(200)
  @Needs('CREDENTIALS')
  setPublicKey(@Body() body: ClientKeyBody, @Req() request: PortalHttpRequest): Promise<PortalAccount> {
    return this.access.setPublicKey(body, askingOf(request));
  }
}

function askingOf(request: PortalHttpRequest): CredentialsCaller {
  return { person: request.opened!.person, origin: originOf(request) };
}
