import { Body, Controller, createParamDecorator, type ExecutionContext, Header, HttpCode, Post } from '@nestjs/common';
import { type ActingPerson, OfPerson } from '@paycode/access';
import {
  type Channel,
  channels,
  IsReceiverCredential,
  type PortalAnswer,
  type PortalOperation,
  type PortalOperationAnswers,
  type PortalRequest,
  type ReceiverCredential,
  validTypesText,
} from '@paycode/dto';
import type { ProbeOutcome } from '@paycode/safe-http';
import { answered, invalidField } from '@paycode/service-runtime';
import { IsBoolean, IsIn, IsOptional, IsString, Length } from 'class-validator';
import type { FastifyRequest } from 'fastify';
import { MerchantRequest } from './notifications.controller';
import { type NotificationCaller, NotificationsService } from './notifications.service';
import { isRecipientValue, type Recipient, validValuesText, valueRuleOf } from './domain/recipient';
import { ValidateUrlService } from '../probing/validate-url.service';
import { PortalReader } from './portal-reader';
import { SendTestService } from './send-test.service';

/** Body of POST /internal/portal/notifications/{operation}. The use case checks the texts that people type, and answers in words for them. */
export class PortalBody extends MerchantRequest implements PortalRequest {
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

type PersonRequest = FastifyRequest & { person?: ActingPerson };

/** A person whose tenant and role the guard has checked, for the audit log. */
const ByPerson = createParamDecorator((_: unknown, context: ExecutionContext): NotificationCaller => {
  const { id, person } = context.switchToHttp().getRequest<PersonRequest>();
  if (!person) throw new Error('@ByPerson() is used on a route that demands no person');
  return { owner: 'OPERATOR', origin: { actor: `portal ${person.actor}`, isPerson: true, requestId: String(id) } };
});

type Answer<Operation extends PortalOperation> = Promise<PortalAnswer<PortalOperationAnswers<ProbeOutcome>[Operation]>>;

/** People manage notifications in the portal. */
@Controller('internal/portal')
export class PortalNotificationsController {
  constructor(
    private readonly reader: PortalReader,
    private readonly notifications: NotificationsService,
    private readonly tests: SendTestService,
    private readonly urls: ValidateUrlService,
  ) {}

  @Post('notifications/list')
  @HttpCode(200)
  list(@Body() { merchantId }: PortalBody): Answer<'list'> {
    return answered(() => this.reader.notificationsOf(merchantId));
  }

  @Post('notifications/add-http')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  addHttp(@Body() body: PortalBody, @ByPerson() caller: NotificationCaller): Answer<'add-http'> {
    return answered(async () => {
      if (!body.url) throw invalidField('url', 'is missing');
      return this.notifications.setHttp({ ...body, url: body.url }, caller);
    });
  }

  @Post('notifications/remove-http')
  @HttpCode(200)
  removeHttp(@Body() { merchantId }: PortalBody, @ByPerson() { origin }: NotificationCaller): Answer<'remove-http'> {
    return answered(() => this.notifications.removeUrl(merchantId, origin));
  }

  @Post('notifications/renew-key')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  renewKey(@Body() body: PortalBody, @ByPerson() caller: NotificationCaller): Answer<'renew-key'> {
    return answered(() => this.notifications.renewKey(body.merchantId, caller));
  }

  @Post('notifications/add-recipient')
  @HttpCode(200)
  addRecipient(@Body() body: PortalBody, @ByPerson() caller: NotificationCaller): Answer<'add-recipient'> {
    return answered(async () => {
      await this.notifications.addRecipient(body.merchantId, recipientOf(body), caller);
      return this.reader.notificationsOf(body.merchantId);
    });
  }

  @Post('notifications/remove-recipient')
  @HttpCode(200)
  removeRecipient(@Body() body: PortalBody, @ByPerson() { origin }: NotificationCaller): Answer<'remove-recipient'> {
    return answered(async () => {
      await this.notifications.removeRecipient(body.merchantId, recipientOf(body), origin);
      return this.reader.notificationsOf(body.merchantId);
    });
  }

  /** Of the URL in the body, which need not be set; else of the one that is. */
  @Post('notifications/check')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  check(@Body() { merchantId, url }: PortalBody, @ByPerson() { origin }: NotificationCaller): Answer<'check'> {
    return answered(async () => {
      if (!url) return this.notifications.check(merchantId, origin.actor);
      return { url, ...(await this.urls.probe({ merchantId, url, caller: origin.actor })) };
    });
  }

  @Post('notifications/send-test')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  sendTest(
    @Body() { merchantId }: PortalBody,
    @OfPerson() { actor }: ActingPerson,
    @ByPerson() { origin }: NotificationCaller,
  ): Answer<'send-test'> {
    return answered(() => this.tests.send({ merchantId, caller: origin.actor, origin, askedBy: actor }));
  }
}

function recipientOf({ type, value }: PortalBody): Recipient {
  const trimmed = value?.trim() ?? '';
  if (!type) throw invalidField('value', validValuesText);
  if (!isRecipientValue(type, trimmed)) throw invalidField('value', valueRuleOf(type, trimmed));
  return { type, value: trimmed };
}
