import { Body, Controller, Get, Header, HttpCode, Param, Post, Req, UseGuards } from '@nestjs/common';
import { askCells, CallerIdentity, IdentityGuard, orElsewhere } from '@paycode/access';
import {
  accountTypes,
  type CellNotificationRequest,
  cellRoutes,
  type Identity,
  idOf,
  IsId,
  type PortalAnswer,
  type PortalNotificationAnswers,
  type PortalNotificationOperation,
  type PortalNotificationRequest,
} from '@paycode/dto';
import { answered, DomainError } from '@paycode/service-runtime';
import { IsIn, IsOptional } from 'class-validator';
import { CellMembership, type CellRequest } from '../cells/follow-cells.job';
import { RecoverNotification } from './recover-notification';
import { RedeliverNotice, ShowNotification } from './show-notification';

/** Recovery: a merchant reads a notification that its webhook missed; the read acknowledges it. */
@Controller('pluto/purchase/notification')
@UseGuards(IdentityGuard)
export class PurchaseNotificationController {
  constructor(
    private readonly recoverNotification: RecoverNotification,
    private readonly cells: CellMembership,
  ) {}

  @Get(':transactionId')
  @Header('cache-control', 'no-store')
  @Header('content-type', 'application/json; charset=utf-8')
  async read(
    @Param('transactionId') text: string,
    @CallerIdentity() caller: Identity,
    @Req() request: CellRequest,
  ): Promise<string> {
    if (!caller.roles.includes('EXTERNAL')) throw new DomainError({ status: 403, reason: 'ROLE', message: 'Forbidden' });
    const id = idOf(text);
    const json = id === undefined ? undefined : ((await this.recover(id, caller)) ?? (await this.elsewhere(id, caller, request)));
    // Every reason gives the same body.
    return json ?? unknown('Not Found');
  }

  private async recover(transactionId: number, caller: Identity): Promise<string | undefined> {
    try {
      return await this.recoverNotification.recover(transactionId, caller);
    } catch (cause) {
      throw unavailable(cause);
    }
  }

  /** From the cell that has it, which checks whether this caller may read it. */
  private async elsewhere(transactionId: number, caller: Identity, request: CellRequest): Promise<string | undefined> {
    const { others } = this.cells;
    if (!others) return undefined;
    const body: CellNotificationRequest = { transactionId, accountType: caller.accountType, ownerId: caller.ownerId };
    try {
      const { id, headers } = request;
      const relayed = { id, headers, method: 'POST', url: cellRoutes.notification.path, body };
      return await askCells(others.of(transactionId), relayed);
    } catch (cause) {
      throw unavailable(cause, { 'retry-after': '1' });
    }
  }
}

/** The caller got no notification, so it can ask again without harm. */
function unavailable(cause: unknown, headers = {}): DomainError {
  return new DomainError({ status: 503, reason: 'RECOVERY_UNAVAILABLE', message: 'Service Unavailable', headers, cause });
}

/** Body of POST /internal/cells/notification. */
export class CellNotificationBody implements CellNotificationRequest {
  @IsId()
  transactionId!: number;

  @IsIn(accountTypes)
  accountType!: Identity['accountType'];

  @IsOptional()
  @IsId()
  ownerId!: number | null;
}

/** getNotification, for a caller whom the dispatcher of another cell has identified. */
@Controller('internal/cells/notification')
export class CellNotificationController {
  constructor(private readonly recoverNotification: RecoverNotification) {}

  /** Reads it as the account that another cell has identified; acknowledges a payment that waits for its answer. */
  @Post()
  @HttpCode(200)
  @Header('content-type', 'application/json; charset=utf-8')
  async read(@Body() { transactionId, ...caller }: CellNotificationBody): Promise<string> {
    return (await this.recoverNotification.recover(transactionId, caller)) ?? unknown();
  }
}

/** Body of POST /internal/portal/notifications/{operation}. */
export class PortalNotificationBody implements PortalNotificationRequest {
  @IsId()
  transactionId!: number;

  @IsId()
  merchantId!: number;
}

type Answer<Operation extends PortalNotificationOperation> = Promise<PortalAnswer<PortalNotificationAnswers[Operation]>>;

/** Actions of people of a merchant or its PSP in the portal on a notification. The portal records who asked. */
@Controller('internal/portal/notifications')
export class PortalNotificationsController {
  constructor(
    private readonly showNotification: ShowNotification,
    private readonly recoverNotification: RecoverNotification,
    private readonly redeliverNotice: RedeliverNotice,
    private readonly cells: CellMembership,
  ) {}

  /** Acknowledges nothing. */
  @Post('show')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  show(@Body() of: PortalNotificationBody, @Req() request: CellRequest): Answer<'show'> {
    return this.answer(request, of, ({ transactionId, merchantId }) => this.showNotification.show(transactionId, merchantId));
  }

  /** getNotification, for the merchant: acknowledges a payment that waits for its answer. */
  @Post('fetch')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  fetch(@Body() of: PortalNotificationBody, @Req() request: CellRequest): Answer<'fetch'> {
    return this.answer(request, of, async ({ transactionId, merchantId }) => {
      const body = await this.recoverNotification.recoverFor(transactionId, merchantId);
      return body === undefined ? undefined : { body };
    });
  }

  /** Sends a notification that moves no money once more, as attempt 2 or later. */
  @Post('repeat')
  @HttpCode(200)
  repeat(@Body() of: PortalNotificationBody, @Req() request: CellRequest): Answer<'repeat'> {
    return this.answer(request, of, ({ transactionId, merchantId }) => this.redeliverNotice.repeat(transactionId, merchantId));
  }

  private answer<T>(
    request: CellRequest,
    of: PortalNotificationBody,
    work: (of: PortalNotificationBody) => Promise<T | undefined>,
  ): Promise<PortalAnswer<T>> {
    const here = () => answered(async () => (await work(of)) ?? unknown());
    return orElsewhere(here, { transactionId: of.transactionId, request }, this.cells.others);
  }
}

function unknown(message = 'there is no such notification'): never {
  throw new DomainError({ status: 404, reason: 'NO_NOTIFICATION', message });
}
