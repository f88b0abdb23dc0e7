import { Body, Controller, Get, Header, HttpCode, Param, Post, Put } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Max,
  MaxLength,
  Min,
  ValidateIf,
} from 'class-validator';
import { sha256 } from '@paycode/crypto';
import { type AccountType, accountTypes, IsId, type Role } from '@paycode/dto';
import { InternalOrigin } from '../audit/request-origin';
import type { Origin } from '../audit/security-log';
import { AccountsService } from './accounts.service';
import { type Account, type AccountMode, rolesOf } from './domain/account';

export class CreateAccountBody {
  @IsIn(accountTypes)
  type!: AccountType;

  /** managerId, merchantId or pspId. */
  @IsOptional()
  @IsId()
  id?: number | null;

  /** STK and ACQUIRER: the name support assigns. */
  @IsOptional()
  @IsString()
  username?: string | null;

  /** ACQUIRER: the acquirer whose merchants it manages. */
  @IsOptional()
  @IsString()
  @MaxLength(128)
  acquirer?: string | null;
}

export class PublicKeyBody {
  /** Base64 of the X.509 RSA-4096 public key. May be left out to change only `challengeRequired`. */
  @ValidateIf((body: PublicKeyBody) => (body.publicKey ?? null) !== null || (body.challengeRequired ?? null) === null)
  @IsString()
  publicKey?: string | null;

  /** Whether login without a challenge is refused from now on. */
  @IsOptional()
  @IsBoolean()
  challengeRequired?: boolean | null;
}

export class SourceAddressesBody {
  /** IP addresses and CIDR ranges; an empty list permits every address. */
  @IsArray()
  @ArrayMaxSize(32)
  @IsString({ each: true })
  @MaxLength(64, { each: true })
  sourceAddresses!: string[];
}

/** An account as operators see it: no password, hash or key. */
export interface AccountView {
  username: string;
  type: AccountType;
  roles: Role[];
  mode: AccountMode;
  ownerId: number | null;
  acquirer: string | null;
  hasPassword: boolean;
  challengeRequired: boolean;
  /** Addresses and CIDR ranges that it may be used from; empty permits every address. */
  sourceAddresses: string[];
  /** Hex SHA-256 of the registered client key, to compare with the client's own; null without a key. */
  publicKeySha256: string | null;
  createdAt: string;
  passwordChangedAt: string;
}

export function viewOf(account: Account): AccountView {
  const { username, type, mode, ownerId, acquirer, challengeRequired, sourceAddresses, publicKey } = account;
  return {
    username,
    type,
    roles: rolesOf(type),
    mode,
    ownerId,
    acquirer,
    hasPassword: account.passwordHash !== null,
    challengeRequired,
    sourceAddresses,
    publicKeySha256: publicKey && sha256(Buffer.from(publicKey, 'base64')).toString('hex'),
    createdAt: account.createdAt.toISOString(),
    passwordChangedAt: account.passwordChangedAt.toISOString(),
  };
}

/** Accounts, as operators manage them (architecture, operator interface). */
@Controller('internal/accounts')
export class AccountsController {
  constructor(private readonly accounts: AccountsService) {}

  @Post()
  @Header('cache-control', 'no-store')
  async create(@Body() body: CreateAccountBody, @InternalOrigin() origin: Origin): Promise<object> {
    const { account, apiPassword } = await this.accounts.create(body, origin);
    const { username, type, roles, mode } = viewOf(account);
    return { username, type, roles, mode, apiPassword };
  }

  @Get(':username')
  async show(@Param('username') username: string): Promise<AccountView> {
    return viewOf(await this.accounts.find(username));
  }

  @Post(':username/password')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  async password(@Param('username') username: string, @InternalOrigin() origin: Origin): Promise<{ apiPassword: string }> {
    return { apiPassword: await this.accounts.generatePassword(username, origin) };
  }

  @Post(':username/bearer')
  @HttpCode(200)
  async bearer(@Param('username') username: string, @InternalOrigin() origin: Origin): Promise<AccountView> {
    return viewOf(await this.accounts.enableBearer(username, origin));
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
    if (typeof publicKey === 'string') await this.accounts.registerPublicKey(username, publicKey, origin);
    if (typeof challengeRequired === 'boolean') await this.accounts.requireChallenge(username, challengeRequired, origin);
    return viewOf(await this.accounts.find(username));
  }

  @Put(':username/source-addresses')
  async sourceAddresses(
    @Param('username') username: string,
    @Body() { sourceAddresses }: SourceAddressesBody,
    @InternalOrigin() origin: Origin,
  ): Promise<AccountView> {
    return viewOf(await this.accounts.bindToSources(username, sourceAddresses, origin));
  }
}

export class LimitBody {
  /** Requests per second at each gateway, twice as many at once; null sets the default of the gateways. */
  @ValidateIf((body: LimitBody) => body.perSecond !== null)
  @IsInt()
  @Min(1)
  @Max(10_000)
  perSecond!: number | null;
}

interface LimitView {
  username: string;
  /** `default`: CREDENTIAL_RATE_PER_S of the gateways, which this service does not know. */
  perSecond: number | 'default';
}

/** Limits of single accounts in requests per second, in place of the default. */
@Controller('internal/limits')
export class LimitsController {
  constructor(private readonly accounts: AccountsService) {}

  /** Accounts with a limit of their own. */
  @Get()
  async list(): Promise<LimitView[]> {
    return (await this.accounts.limited()).map(limitOf);
  }

  @Get(':username')
  async show(@Param('username') username: string): Promise<LimitView> {
    return limitOf(await this.accounts.find(username));
  }

  @Put(':username')
  async set(@Param('username') username: string, @Body() body: LimitBody, @InternalOrigin() origin: Origin): Promise<LimitView> {
    return limitOf(await this.accounts.limitRate(username, body.perSecond, origin));
  }
}

function limitOf({ username, ratePerS }: Account): LimitView {
  return { username, perSecond: ratePerS ?? 'default' };
}
