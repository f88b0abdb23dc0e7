import { Body, Controller, Header, HttpCode, Post } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import {
  IsId,
  type PortalAccount,
  type PortalAccountAnswers,
  type PortalAccountOperation,
  type PortalAccountRequest,
  type PortalAnswer,
} from '@paycode/dto';
import { answered, invalidField } from '@paycode/service-runtime';
import { ArrayMaxSize, IsArray, IsBoolean, IsIn, IsOptional, IsString, Length, Matches, MaxLength } from 'class-validator';
import { InternalOrigin } from '../audit/request-origin';
import type { Origin } from '../audit/security-log';
import { viewOf } from './accounts.controller';
import { AccountsService, isSignedBy, keyTrialText, noSuchAccount } from './accounts.service';
import { type Account, nameAccount } from './domain/account';

/** Whose account the portal asks about. */
export class TenantBody implements PortalAccountRequest {
  @IsIn(['MERCHANT', 'PSP'])
  type!: 'MERCHANT' | 'PSP';

  /** merchantId or pspId. */
  @IsId()
  ownerId!: number;

  /** Name of the person who asked for a change that another one confirms, for the security log. */
  @IsOptional()
  @IsString()
  @Length(1, 200)
  askedBy?: string;
}

/** Body of POST /internal/portal/accounts/{operation}. The use case checks the texts that people type, and answers in words for them. */
export class PortalAccountBody extends TenantBody {
  /** Base64 of the X.509 RSA-4096 public key; may contain line breaks. */
  @IsOptional()
  @IsString()
  @Length(1, 8_192)
  publicKey?: string;

  /** Random text of the trial, chosen by who signs. */
  @IsOptional()
  @Matches(/^[A-Za-z0-9_-]{16,64}$/, { message: 'nonce must be 16 to 64 letters and digits' })
  nonce?: string;

  /** Base64; may contain line breaks. */
  @IsOptional()
  @IsString()
  @Length(1, 2_048)
  signature?: string;

  @IsOptional()
  @IsBoolean()
  challengeRequired?: boolean;

  /** IP addresses and CIDR ranges; an empty list permits every address. */
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(32)
  @IsString({ each: true })
  @MaxLength(64, { each: true })
  sourceAddresses?: string[];
}

type Answer<Operation extends PortalAccountOperation> = Promise<PortalAnswer<PortalAccountAnswers[Operation]>>;

/** People of a merchant or PSP manage the account of their programs in the portal; the security log says who. */
@Controller('internal/portal/accounts')
export class PortalAccountsController {
  constructor(private readonly accounts: AccountsService) {}

  @Post('show')
  @HttpCode(200)
  show(@Body() body: PortalAccountBody): Answer<'show'> {
    return answered(async () => shown(await this.accounts.find(usernameOfTenant(body))));
  }

  @Post('new-password')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  newPassword(@Body() body: PortalAccountBody, @InternalOrigin() origin: Origin): Answer<'new-password'> {
    return answered(async () => ({
      apiPassword: await this.accounts.generatePassword(usernameOfTenant(body), askedBy(body, origin)),
    }));
  }

  @Post('set-public-key')
  @HttpCode(200)
  @RouteConfig({ multilineFields: new Set(['publicKey']) })
  setPublicKey(@Body() body: PortalAccountBody, @InternalOrigin() origin: Origin): Answer<'set-public-key'> {
    return answered(async () => {
      if (!body.publicKey) throw invalidField('publicKey', 'is missing');
      return shown(await this.accounts.registerPublicKey(usernameOfTenant(body), body.publicKey, askedBy(body, origin)));
    });
  }

  /** Whether the person holds the key that is registered. It opens no session, and changes nothing. */
  @Post('try-public-key')
  @HttpCode(200)
  @RouteConfig({ multilineFields: new Set(['signature']) })
  tryPublicKey(@Body() body: PortalAccountBody): Answer<'try-public-key'> {
    return answered(async () => {
      const { username, publicKey } = await this.accounts.find(usernameOfTenant(body));
      if (!publicKey) throw invalidField('publicKey', 'is not registered yet');
      const verifies = isSignedBy(
        publicKey,
        keyTrialText(username, given('nonce', body.nonce)),
        given('signature', body.signature),
      );
      return { verifies };
    });
  }

  @Post('require-challenge')
  @HttpCode(200)
  requireChallenge(@Body() body: PortalAccountBody, @InternalOrigin() origin: Origin): Answer<'require-challenge'> {
    return answered(async () => {
      const isRequired = given('challengeRequired', body.challengeRequired);
      return shown(await this.accounts.requireChallenge(usernameOfTenant(body), isRequired, askedBy(body, origin)));
    });
  }

  @Post('bind-to-sources')
  @HttpCode(200)
  bindToSources(@Body() body: PortalAccountBody, @InternalOrigin() origin: Origin): Answer<'bind-to-sources'> {
    return answered(async () => {
      const sources = given('sourceAddresses', body.sourceAddresses);
      return shown(await this.accounts.bindToSources(usernameOfTenant(body), sources, askedBy(body, origin)));
    });
  }

  /** Cannot be undone. The portal has made sure that its people want it. */
  @Post('enable-bearer')
  @HttpCode(200)
  enableBearer(@Body() body: PortalAccountBody, @InternalOrigin() origin: Origin): Answer<'enable-bearer'> {
    return answered(async () => shown(await this.accounts.enableBearer(usernameOfTenant(body), askedBy(body, origin))));
  }
}

/** The account of the programs of a merchant or PSP. @throws DomainError 404 */
export function usernameOfTenant({ type, ownerId }: Pick<PortalAccountRequest, 'type' | 'ownerId'>): string {
  const name = nameAccount({ type, id: ownerId });
  if (!name.ok) throw noSuchAccount();
  return name.username;
}

/** The person of the portal as the origin, for the security log. */
export function askedBy({ askedBy: asker }: TenantBody, origin: Origin): Origin {
  return asker === undefined ? origin : { ...origin, actor: `${origin.actor}, asked by ${asker}` };
}

/** @throws DomainError 400 for a field that this operation needs */
function given<T>(field: string, value: T | null | undefined): T {
  if (value === undefined || value === null) throw invalidField(field, 'is missing');
  return value;
}

function shown(account: Account): PortalAccount {
  const { username, mode, hasPassword, challengeRequired, sourceAddresses, publicKeySha256, passwordChangedAt } = viewOf(account);
  return { username, mode, hasPassword, challengeRequired, sourceAddresses, publicKeySha256, passwordChangedAt };
}
