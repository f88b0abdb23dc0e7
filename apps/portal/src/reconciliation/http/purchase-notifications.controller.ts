import { Controller, Get, Header, Query, UseGuards } from '@nestjs/common';
import { CallerIdentity, IdentityGuard } from '@paycode/access';
import type { Identity } from '@paycode/dto';
import { invalidField } from '@paycode/service-runtime';
import { listKeyOf } from '../domain/list-key';
import { ListNotificationsService, type NotificationPage } from '../list-notifications.service';
import { ListNotificationsQuery } from './list-notifications.query';

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
    const after = cursor === undefined ? null : listKeyOf(cursor);
    if (after === undefined) throw invalidField('cursor', 'must be the next of a page');
    return this.listNotifications.list(caller, merchantId, { since, reference, code, after, limit });
  }
}
