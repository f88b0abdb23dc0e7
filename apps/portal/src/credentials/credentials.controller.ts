import { Body, Controller, Delete, Get, Header, HttpCode, Param, Post } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { KeyTrial, NewPassword, PortalAccount, PortalApiSession } from '@paycode/dto';
import { ArrayMaxSize, IsArray, IsBoolean, IsString, IsUUID, Length, Matches, MaxLength } from 'class-validator';
import type { AskedReport } from '../four-eyes/four-eyes.service';
import { AskedBy, type Asking, Needs } from '../sessions/portal.guard';
import { CurrentPasswordBody } from '../sign-in/password.service';
import { SessionParam } from '../sign-in/security.controller';
import { BearerSwitchService, CredentialsService, type SwitchOverview } from './credentials.service';

export class ClientKeyBody extends CurrentPasswordBody {
  /** Base64 of the X.509 RSA-4096 public key. */
  @IsString()
  @Length(1, 8_192)
  publicKey!: string;
}

export class KeyTrialBody {
  @Matches(/^[A-Za-z0-9_-]{16,64}$/, { message: 'nonce must be 16 to 64 letters and digits' })
  nonce!: string;

  /** Base64; may contain line breaks. */
  @IsString()
  @Length(1, 2_048)
  signature!: string;
}

export class ChallengeRuleBody extends CurrentPasswordBody {
  @IsBoolean()
  challengeRequired!: boolean;
}

export class SourcesBody extends CurrentPasswordBody {
  /** IP addresses and CIDR ranges; an empty list permits every address. */
  @IsArray()
  @ArrayMaxSize(32)
  @IsString({ each: true })
  @MaxLength(64, { each: true })
  sourceAddresses!: string[];
}

export class BearerSwitchBody extends CurrentPasswordBody {
  /** The name of the account, so that nobody switches by a click. */
  @IsString()
  @MaxLength(200)
  typed!: string;
}

export class BearerConfirmBody extends BearerSwitchBody {
  @IsUUID()
  requestId!: string;
}

/** How the programs of the person's merchant or PSP sign in to the API. */
@Controller('console/api/credentials')
export class CredentialsController {
  constructor(private readonly access: CredentialsService) {}

  @Get()
  show(@AskedBy() asking: Asking): Promise<PortalAccount> {
    return this.access.show(asking);
  }

  /** The answer holds the password, this once. */
  @Post('password')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  @Needs('CREDENTIALS')
  newPassword(@Body() { current }: CurrentPasswordBody, @AskedBy() asking: Asking): Promise<NewPassword> {
    return this.access.newPassword(current, asking);
  }

  @Post('public-key')
  @HttpCode(200)
  @Needs('CREDENTIALS')
  setPublicKey(@Body() body: ClientKeyBody, @AskedBy() asking: Asking): Promise<PortalAccount> {
    return this.access.setPublicKey(body, asking);
  }

  /** Opens no session, and changes nothing. */
  @Post('public-key/trial')
  @HttpCode(200)
  @RouteConfig({ multilineFields: new Set(['signature']) })
  tryPublicKey(@Body() body: KeyTrialBody, @AskedBy() asking: Asking): Promise<KeyTrial> {
    return this.access.tryPublicKey(body, asking);
  }

  @Post('challenge')
  @HttpCode(200)
  @Needs('CREDENTIALS')
  requireChallenge(@Body() body: ChallengeRuleBody, @AskedBy() asking: Asking): Promise<PortalAccount> {
    return this.access.requireChallenge(body, asking);
  }

  @Post('source-addresses')
  @HttpCode(200)
  @Needs('CREDENTIALS')
  bindToSources(@Body() body: SourcesBody, @AskedBy() asking: Asking): Promise<PortalAccount> {
    return this.access.bindToSources(body, asking);
  }

  @Get('sessions')
  sessions(@AskedBy() asking: Asking): Promise<PortalApiSession[]> {
    return this.access.sessions(asking);
  }

  @Delete('sessions/:sessionId')
  @HttpCode(204)
  @Needs('CREDENTIALS')
  endSession(@Param() { sessionId }: SessionParam, @AskedBy() asking: Asking): Promise<void> {
    return this.access.endSession(sessionId, asking);
  }
}

/** The one-way switch to session tokens: by one person in the sandbox, by two in production. */
@Controller('console/api/credentials/bearer')
export class BearerController {
  constructor(private readonly bearer: BearerSwitchService) {}

  @Get()
  show(@AskedBy() asking: Asking): Promise<SwitchOverview> {
    return this.bearer.show(asking);
  }

  @Post()
  @HttpCode(200)
  @Needs('CREDENTIALS')
  switch(@Body() body: BearerSwitchBody, @AskedBy() asking: Asking): Promise<PortalAccount> {
    return this.bearer.switch(body, asking);
  }

  @Post('request')
  @HttpCode(201)
  @Needs('CREDENTIALS')
  ask(@Body() body: BearerSwitchBody, @AskedBy() asking: Asking): Promise<AskedReport> {
    return this.bearer.ask(body, asking);
  }

  @Post('confirm')
  @HttpCode(200)
  @Needs('CREDENTIALS')
  confirm(@Body() body: BearerConfirmBody, @AskedBy() asking: Asking): Promise<PortalAccount> {
    return this.bearer.confirm(body, asking);
  }
}
