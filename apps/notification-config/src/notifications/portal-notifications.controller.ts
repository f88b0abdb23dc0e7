import { Body, Controller, Header, HttpCode, Post, Req } from '@nestjs/common';
import {
  type Channel,
  channels,
  isIdNumber,
  IsReceiverCredential,
  type MerchantSearch,
  type PortalAnswer,
  type PortalMerchantsAnswer,
  type PortalMerchantsRequest,
  type PortalOperation,
  type PortalOperationAnswers,
  type PortalRequest,
  type ReceiverCredential,
  validTypesText,
} from '@paycode/dto';
import type { ProbeOutcome } from '@paycode/safe-http';
import { answered, invalidField } from '@paycode/service-runtime';
import { IsBoolean, IsIn, IsObject, IsOptional, IsString, Length } from 'class-validator';
import type { FastifyRequest } from 'fastify';
import { MerchantRequest } from './notifications.controller';
import type { NotificationCaller } from './notifications.service';
import { PortalNotificationsService } from './portal-notifications.service';

/** Body of POST /internal/portal/merchants. */
export class PortalMerchantsBody implements PortalMerchantsRequest {
  @IsObject()
  owner!: MerchantSearch;
}

/** Body of POST /internal/portal/notifications/{operation}. The use case checks the texts that people type, and answers in words for them. */
export class PortalBody extends MerchantRequest implements PortalRequest {
  @IsString()
  @Length(1, 200)
  actor!: string;

  @IsOptional()
  @IsString()
  @Length(1, 2_048)
  url?: string;

  @IsOptional()
  @IsReceiverCredential()
  credential?: ReceiverCredential;

  @IsOptional()
  @IsBoolean()
  clientCertificate?: boolean;

  @IsOptional()
  @IsIn(channels, { message: validTypesText })
  type?: Channel;

  @IsOptional()
  @IsString()
  @Length(1, 254)
  value?: string;
}

const namedMax = 100;

const ownerRules: Readonly<Record<string, (value: unknown) => boolean>> = {
  merchantId: isIdNumber,
  pspId: isIdNumber,
  acquirer: value => typeof value === 'string' && value !== '',
  all: value => value === true,
  named: value => typeof value === 'string' && value.length >= 1 && value.length <= namedMax,
};

/** @throws DomainError 400 unless the owner is exactly one of these kinds */
function ownerOf(owner: MerchantSearch): MerchantSearch {
  const [[kind, value] = ['', null], ...more] = Object.entries(owner) as [string, unknown][];
  const isWellFormed = Object.hasOwn(ownerRules, kind) && ownerRules[kind]!(value) && more.length === 0;
  if (!isWellFormed) throw invalidField('owner', `must be one of ${Object.keys(ownerRules).join(', ')}`);
  return owner;
}

/** The portal has decided whose merchant it is; the audit log gets the person's name. */
function portalCaller({ actor }: { actor: string }, request: FastifyRequest): NotificationCaller {
  return { owner: 'OPERATOR', origin: { actor: `portal ${actor}`, isPerson: true, requestId: String(request.id) } };
}

type Answer<Operation extends PortalOperation> = Promise<PortalAnswer<PortalOperationAnswers<ProbeOutcome>[Operation]>>;

/** People manage notifications in the portal. The portal has checked whose merchant it is; this service records who asked. */
@Controller('internal/portal')
export class PortalNotificationsController {
  constructor(private readonly notifications: PortalNotificationsService) {}

  @Post('merchants')
  @HttpCode(200)
  merchants(@Body() { owner }: PortalMerchantsBody): Promise<PortalMerchantsAnswer> {
    return this.notifications.merchantsOf(ownerOf(owner));
  }

  @Post('notifications/list')
  @HttpCode(200)
  list(@Body() { merchantId }: PortalBody): Answer<'list'> {
    return answered(() => this.notifications.show(merchantId));
  }

  @Post('notifications/add-http')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  addHttp(@Body() body: PortalBody, @Req() request: FastifyRequest): Answer<'add-http'> {
    return answered(() => this.notifications.setUrl(body, portalCaller(body, request)));
  }

  @Post('notifications/remove-http')
  @HttpCode(200)
  removeHttp(@Body() body: PortalBody, @Req() request: FastifyRequest): Answer<'remove-http'> {
    return answered(() => this.notifications.removeUrl(body.merchantId, portalCaller(body, request)));
  }

  @Post('notifications/renew-key')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  renewKey(@Body() body: PortalBody, @Req() request: FastifyRequest): Answer<'renew-key'> {
    return answered(() => this.notifications.renewKey(body.merchantId, portalCaller(body, request)));
  }

  @Post('notifications/add-recipient')
  @HttpCode(200)
  addRecipient(@Body() body: PortalBody, @Req() request: FastifyRequest): Answer<'add-recipient'> {
    return answered(() => this.notifications.addRecipient(body, portalCaller(body, request)));
  }

  @Post('notifications/remove-recipient')
  @HttpCode(200)
  removeRecipient(@Body() body: PortalBody, @Req() request: FastifyRequest): Answer<'remove-recipient'> {
    return answered(() => this.notifications.removeRecipient(body, portalCaller(body, request)));
  }

  /** Of the URL in the body, which need not be set; else of the one that is. */
  @Post('notifications/check')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  check(@Body() { merchantId, url, actor }: PortalBody): Answer<'check'> {
    return answered(() => this.notifications.check({ merchantId, url, caller: `portal ${actor}` }));
  }

  @Post('notifications/send-test')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  sendTest(@Body() body: PortalBody, @Req() request: FastifyRequest): Answer<'send-test'> {
    const { merchantId, actor } = body;
    const { origin } = portalCaller(body, request);
    // The portal knows roles: in production it lets owners alone ask.
    return answered(() => this.notifications.sendTest({ merchantId, caller: `portal ${actor}`, origin, askedBy: actor }));
  }
}
