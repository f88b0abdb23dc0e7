import { Body, Controller, Get, Header, HttpCode, Param, Post, Put } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { InternalOrigin, type Origin } from '../../audit';

import { ChangeCredentialsService } from '../change-credentials.service';
import { CreateAccountService } from '../create-account.service';
import { type AccountView, viewOf } from './account-view';
import { CreateAccountBody, PublicKeyBody, SourceAddressesBody } from './accounts.dto';

/** Accounts, as operators manage them (architecture, operator interface). */
@Controller('internal/accounts')
export class AccountsController {
  constructor(
    private readonly creation: CreateAccountService,
    private readonly credentials: ChangeCredentialsService,
  ) {}

  @Post()
  @Header('cache-control', 'no-store')
  async create(@Body() body: CreateAccountBody, @InternalOrigin() origin: Origin): Promise<object> {
    const { account, apiPassword } = await this.creation.create(body, origin);
    const { username, type, roles, mode } = viewOf(account);
    return { username, type, roles, mode, apiPassword };
  }

  @Get(':username')
  async show(@Param('username') username: string): Promise<AccountView> {
    return viewOf(await this.credentials.find(username));
  }

  @Post(':username/password')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  async password(@Param('username') username: string, @InternalOrigin() origin: Origin): Promise<{ apiPassword: string }> {
    return { apiPassword: await this.credentials.generatePassword(username, origin) };
  }

  @Post(':username/bearer')
  @HttpCode(200)
  async bearer(@Param('username') username: string, @InternalOrigin() origin: Origin): Promise<AccountView> {
    return viewOf(await this.credentials.enableBearer(username, origin));
  }

  /** The key may contain line breaks, because base64 tools insert them. */
  @Put(':username/public-key')
  @RouteConfig({ multilineFields: new Set(['publicKey']) })
  async publicKey(
    @Param('username') username: string,
    @Body() body: PublicKeyBody,
    @InternalOrigin() origin: Origin,
  ): Promise<AccountView> {
    const { publicKey, challengeRequired } = body;
    if (typeof publicKey === 'string') await this.credentials.registerPublicKey(username, publicKey, origin);
    if (typeof challengeRequired === 'boolean') await this.credentials.requireChallenge(username, challengeRequired, origin);
    return viewOf(await this.credentials.find(username));
  }

  @Put(':username/source-addresses')
  async sourceAddresses(
    @Param('username') username: string,
    @Body() { sourceAddresses }: SourceAddressesBody,
    @InternalOrigin() origin: Origin,
  ): Promise<AccountView> {
    return viewOf(await this.credentials.bindToSources(username, sourceAddresses, origin));
  }
}
