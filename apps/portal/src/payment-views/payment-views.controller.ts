import { applyDecorators, Body, Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { WithoutCardNumber } from '@paycode/dto';
import { plainToInstance, Transform, Type } from 'class-transformer';
import { IsIn, IsObject, IsOptional, IsString, IsUUID, Length, Matches, ValidateNested, validateSync } from 'class-validator';
import { PaymentsQuery } from '../payments/payments.controller';
import type { OpenedSession } from '../sessions/domain/session';
import { AskedBy, type Asking, SignedIn } from '../sessions/portal.guard';
import { type Scope, ScopedPipe } from '../tenancy/scope';
import { type PaymentView, PaymentViewsService } from './payment-views.service';

const ranges = ['hour', 'today', 'yesterday', '7d'] as const;
const hiddenForm = /^(merchant|reference|code|back|server|time)(,(merchant|reference|code|back|server|time)){0,5}$/;
const hiddenRule = 'hidden must be merchant, reference, code, back, server or time, with a comma between two of them';

/** Filters of the list and of its columns, as the address of the page has them. */
export class PaymentViewFilter extends PaymentsQuery {
  /** Instead of from and to: it moves with the time. */
  @IsOptional()
  @IsIn(ranges)
  range?: (typeof ranges)[number];

  /** Columns that are not shown. */
  @IsOptional()
  @Matches(hiddenForm, { message: hiddenRule })
  hidden?: string;
}

const IsViewName = () =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim() : value)),
    IsString(),
    Length(1, 60, { message: 'name must have 1 to 60 characters' }),
    WithoutCardNumber(),
  );

const IsViewFilter = () =>
  applyDecorators(
    IsObject(),
    ValidateNested(),
    Type(() => PaymentViewFilter),
  );

export class SavePaymentViewBody {
  @IsViewName()
  name!: string;

  @IsViewFilter()
  filter!: PaymentViewFilter;
}

/** A member that is left out stays as it is. */
export class ChangePaymentViewBody {
  @IsOptional()
  @IsViewName()
  name?: string | null;

  @IsOptional()
  @IsViewFilter()
  filter?: PaymentViewFilter | null;
}

class ViewParam {
  @IsUUID()
  viewId!: string;
}

export interface ShownPaymentView {
  viewId: string;
  name: string;
  filter: PaymentViewFilter;
  /** Whether a part of the filter exists no more, or a merchant of it is no longer yours: `filter` holds the rest. */
  isPartial: boolean;
}

type ScopedAsking = Asking & { scope: Scope };

/** Filters of the list of payments that a person named: the own ones alone. */
@Controller('console/api/payment-views')
export class PaymentViewsController {
  constructor(private readonly views: PaymentViewsService) {}

  /** In the order in which they were made, at most 20. */
  @Get()
  async list(@AskedBy(ScopedPipe) { person, scope }: ScopedAsking): Promise<ShownPaymentView[]> {
    return (await this.views.list(person.personId)).map(view => shown(view, scope));
  }

  @Post()
  @HttpCode(200)
  save(
    @Body() { name, filter }: SavePaymentViewBody,
    @AskedBy(ScopedPipe) { person, scope }: ScopedAsking,
  ): Promise<{ viewId: string }> {
    return this.views.save(person.personId, { name, filter: within(scope, filter) });
  }

  /** Renames it, or puts another filter in its place. The last change of each wins. */
  @Post(':viewId')
  @HttpCode(204)
  change(
    @Param() { viewId }: ViewParam,
    @Body() { name, filter }: ChangePaymentViewBody,
    @AskedBy(ScopedPipe) { person, scope }: ScopedAsking,
  ): Promise<void> {
    const changed = { name: name ?? undefined, filter: filter ? within(scope, filter) : undefined };
    return this.views.change(person.personId, { viewId, ...changed });
  }

  @Delete(':viewId')
  @HttpCode(204)
  remove(@Param() { viewId }: ViewParam, @SignedIn() { person }: OpenedSession): Promise<void> {
    return this.views.remove(person.personId, viewId);
  }
}

/** @throws DomainError 404 as the list, for a merchant of somebody else */
function within(scope: Scope, filter: PaymentViewFilter): PaymentViewFilter {
  const given = withoutEmpty(filter);
  scope.askedFor(given);
  return given;
}

const withoutEmpty = (filter: PaymentViewFilter): PaymentViewFilter =>
  Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined && value !== null));

/** By the rules of today: what they refuse is left out. */
function shown({ viewId, name, filter: kept }: PaymentView, scope: Scope): ShownPaymentView {
  const filter = plainToInstance(PaymentViewFilter, kept);
  const gone = validateSync(filter, { whitelist: true, forbidNonWhitelisted: true }).map(({ property }) => property);
  if (filter.merchantId !== undefined && !scope.has(Number(filter.merchantId))) gone.push('merchantId');
  const rest = Object.fromEntries(Object.entries(filter).filter(([field]) => !gone.includes(field)));
  return { viewId, name, filter: withoutEmpty(rest), isPartial: gone.length > 0 };
}
