import { Controller, Get, Header, Query, UseGuards } from '@nestjs/common';
import { CallerIdentity, IdentityGuard } from '@paycode/access';
import type { Identity } from '@paycode/dto';
import { FromDigits, invalidField, IsInstantText } from '@paycode/service-runtime';
import { IsInt, IsOptional, IsString, Length, Matches, Max, Min } from 'class-validator';
import { pageKeyOf } from '../page-cursor';
import { ListNotificationsService, type NotificationPage } from './list-notifications.service';

export class ListNotificationsQuery {
  /** Final at that instant or later: ISO 8601 in UTC with 0 to 9 decimals, of which the milliseconds count. */
  @IsOptional()
  @IsInstantText()
  since?: string;

  /** The merchantReference of a code, as a whole. */
  @IsOptional()
  @IsString()
  @Length(1, 45)
  reference?: string;

  /** A payment code. */
  @IsOptional()
  @Matches(/^\d{10}$/, { message: 'code must be 10 digits' })
  code?: string;

  /** Required for a PSP; a merchant may leave it out. */
  @IsOptional()
  @FromDigits()
  @IsInt()
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  merchantId?: number;

  /** `next` of the page before. */
  @IsOptional()
  @IsString()
  @Length(1, 64)
  cursor?: string;

  /** Notifications of a page; 100 when it is left out. */
  @IsOptional()
  @FromDigits()
  @IsInt()
  @Min(1)
  @Max(500)
  limit?: number;
}

const pageDefault = 100;

/** Reconciliation (ADR 0077): programs of merchants and PSPs find the id of a notification that they never got. */
@Controller('pluto/purchase/notifications')
@UseGuards(IdentityGuard)
export class PurchaseNotificationsController {
  constructor(private readonly listNotifications: ListNotificationsService) {}

  @Get()
  @Header('cache-control', 'no-store')
  list(@Query() query: ListNotificationsQuery, @CallerIdentity() caller: Identity): Promise<NotificationPage> {
    const { since = null, reference = null, code = null, cursor, limit = pageDefault, merchantId } = query;
    const after = cursor === undefined ? null : pageKeyOf(cursor);
    if (after === undefined) throw invalidField('cursor', 'must be the next of a page');
    return this.listNotifications.list(caller, merchantId, { since, reference, code, after, limit });
  }
}
