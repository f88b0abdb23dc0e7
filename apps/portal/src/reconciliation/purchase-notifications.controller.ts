import { Controller, Get, Header, Query, UseGuards } from '@nestjs/common';
import { CallerIdentity, IdentityGuard } from '@paycode/access';
import type { Identity } from '@paycode/dto';
import { invalidField } from '@paycode/service-runtime';
import { Transform } from 'class-transformer';
import { IsInt, IsISO8601, IsOptional, IsString, Length, Matches, Max, Min } from 'class-validator';
import { utcInstant } from '../payments/domain/payment';
import { pageKeyOf } from '../page-cursor';
import { ListNotificationsService, type NotificationPage } from './list-notifications.service';

/** `12`; anything else stays text, which is no integer. */
const digits = ({ value }: { value: unknown }): unknown =>
  typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value;

export class ListNotificationsQuery {
  /** Final at that instant or later: ISO 8601 in UTC. */
  @IsOptional()
  @IsISO8601({ strict: true }, { message: 'since must be an instant that exists' })
  @Matches(utcInstant, { message: 'since must be an instant in UTC, as in 2026-01-31T10:00:00Z' })
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
  @Transform(digits)
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
  @Transform(digits)
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
