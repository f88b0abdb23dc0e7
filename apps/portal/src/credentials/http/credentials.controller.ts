import { Body, Controller, Delete, Get, Header, HttpCode, Param, ParseUUIDPipe, Post, Req } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { PortalAccount, PortalApiSession } from '@paycode/dto';
import { Needs, originOf, type PortalHttpRequest } from '../../sessions/http/portal-request';
import { type CredentialsCaller, CredentialsService } from '../credentials.service';
import { ChallengeRuleBody, ClientKeyBody, CurrentPasswordBody, KeyTrialBody, SourcesBody } from './credentials.dto';

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

  /** Opens no session, and changes nothing. */
  @Post('public-key/trial')
  @HttpCode(200)
  @RouteConfig({ multilineFields: new Set(['signature']) })
  tryPublicKey(@Body() body: KeyTrialBody, @Req() request: PortalHttpRequest): Promise<{ verifies: boolean }> {
    return this.access.tryPublicKey(body, askingOf(request));
  }

  @Post('challenge')
  @HttpCode(200)
  @Needs('CREDENTIALS')
  requireChallenge(@Body() body: ChallengeRuleBody, @Req() request: PortalHttpRequest): Promise<PortalAccount> {
    return this.access.requireChallenge(body, askingOf(request));
  }

  @Post('source-addresses')
  @HttpCode(200)
  @Needs('CREDENTIALS')
  bindToSources(@Body() body: SourcesBody, @Req() request: PortalHttpRequest): Promise<PortalAccount> {
    return this.access.bindToSources(body, askingOf(request));
  }

  @Get('sessions')
  sessions(@Req() request: PortalHttpRequest): Promise<PortalApiSession[]> {
    return this.access.sessions(askingOf(request));
  }

  @Delete('sessions/:sessionId')
  @HttpCode(204)
  @Needs('CREDENTIALS')
  endSession(@Param('sessionId', ParseUUIDPipe) sessionId: string, @Req() request: PortalHttpRequest): Promise<void> {
    return this.access.endSession(sessionId, askingOf(request));
  }
}

function askingOf(request: PortalHttpRequest): CredentialsCaller {
  return { person: request.opened!.person, origin: originOf(request) };
}
