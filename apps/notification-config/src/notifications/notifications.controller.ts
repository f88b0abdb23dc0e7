import {
  Body,
  type CanActivate,
  Controller,
  createParamDecorator,
  type ExecutionContext,
  Get,
  Header,
  HttpCode,
  Injectable,
  Post,
  UseGuards,
} from '@nestjs/common';
import { IdentityGuard } from '@paycode/access';
import {
  type Channel,
  channels,
  type HttpNotificationAnswer,
  type Identity,
  IsId,
  IsReceiverCredential,
  payloadVersions,
  type ReceiverCredential,
  validTypesText,
  validVersionsText,
} from '@paycode/dto';
import { DomainError } from '@paycode/service-runtime';
import { Transform } from 'class-transformer';
import { IsBoolean, IsIn, IsOptional, IsString, Length, ValidateBy } from 'class-validator';
import type { FastifyRequest } from 'fastify';
import { ClientAuthority, type ClientCertificateAnswer } from './client-authority';
import type { NotificationEntry } from './domain/notification-configuration';
import { isRecipientValue, valueRuleOf } from './domain/recipient';
import { type NotificationCaller, NotificationsService } from './notifications.service';

/** Body of list and renewKey. Numbers are numbers: "25" is refused. */
export class MerchantRequest {
  @IsId()
  merchantId!: number;
}

/** Body of addHttp. */
export class AddHttpRequest extends MerchantRequest {
  @IsString()
  @Length(1, 2_048)
  url!: string;

  @IsIn(payloadVersions, { message: validVersionsText })
  version!: string;

  /** Extension: the server demands it of each request. Write-only; absent or null: stays as it is, `{}`: none. */
  @IsOptional()
  @IsReceiverCredential()
  credential?: ReceiverCredential | null;

  /** Extension: whether connections show the platform's client certificate. Absent or null: stays as it is, at first false. */
  @IsOptional()
  @IsBoolean()
  clientCertificate?: boolean | null;

  /** Extension: `ENCRYPTED` stores the URL only if its server opens a notification under the key that it has. */
  @IsOptional()
  @IsIn(['ENCRYPTED'])
  probe?: 'ENCRYPTED' | null;
}

/** Checks the value only for a known type; an unknown type has its own error (R-7-11). */
function isValueOfType(value: unknown, request: AddRecipientRequest): boolean {
  return !channels.includes(request.type) || (typeof value === 'string' && isRecipientValue(request.type, value));
}

/** Body of extra. */
export class AddRecipientRequest extends MerchantRequest {
  @IsIn(channels, { message: validTypesText })
  type!: Channel;

  @Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim() : value))
  @IsString()
  @ValidateBy({
    name: 'isRecipientValue',
    validator: {
      validate: (value, context) => isValueOfType(value, context!.object as AddRecipientRequest),
      defaultMessage: context => valueRuleOf((context!.object as AddRecipientRequest).type, context!.value),
    },
  })
  value!: string;
}

/** Runs after IdentityGuard and before the body is read: permits PSP and Acquirer only (R-4.3-2, A-41, A-44). */
@Injectable()
export class NotificationCallersGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { identity } = context.switchToHttp().getRequest<FastifyRequest & { identity: Identity }>();
    const { accountType, ownerId, acquirer } = identity;
    if ((accountType === 'PSP' && ownerId !== null) || (accountType === 'ACQUIRER' && acquirer)) return true;
    throw new DomainError({ status: 403, reason: 'CALLER_TYPE', message: 'Forbidden' });
  }
}

/** The caller of a route behind NotificationCallersGuard. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext): NotificationCaller => {
  const request = context.switchToHttp().getRequest<FastifyRequest & { identity: Identity }>();
  const { subject, accountType, ownerId, acquirer } = request.identity;
  const owner = accountType === 'PSP' ? { pspId: ownerId! } : { acquirer: acquirer! };
  return { owner, origin: { actor: subject, requestId: String(request.id) } };
});

/** Merchant notification endpoints (R-4.3-1). */
@Controller('portal/restful/merchant/notification')
@UseGuards(IdentityGuard, NotificationCallersGuard)
export class NotificationsController {
  constructor(
    private readonly notifications: NotificationsService,
    private readonly authority: ClientAuthority,
  ) {}

  @Get('clientCertificate')
  clientCertificate(): ClientCertificateAnswer {
    return this.authority.show();
  }

  @Post('addHttp')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  addHttp(@Body() wanted: AddHttpRequest, @Caller() caller: NotificationCaller): Promise<HttpNotificationAnswer> {
    return this.notifications.setHttp(wanted, caller);
  }

  @Post('renewKey')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  renewKey(@Body() { merchantId }: MerchantRequest, @Caller() caller: NotificationCaller): Promise<HttpNotificationAnswer> {
    return this.notifications.renewKey(merchantId, caller);
  }

  @Post('extra')
  @HttpCode(200)
  extra(@Body() body: AddRecipientRequest, @Caller() caller: NotificationCaller): Promise<NotificationEntry[]> {
    return this.notifications.addRecipient(body.merchantId, { type: body.type, value: body.value }, caller);
  }

  @Post('list')
  @HttpCode(200)
  list(@Body() { merchantId }: MerchantRequest, @Caller() caller: NotificationCaller): Promise<NotificationEntry[]> {
    return this.notifications.list(merchantId, caller);
  }
}
