import { Body, Controller, Get, HttpCode, Optional, Param, Post, Req } from '@nestjs/common';
import { type InternalRequest, orElsewhere } from '@paycode/access';
import { type ArmAnswer, type ReversalState, verdictKinds } from '@paycode/dto';
import { whenNotFull } from '@paycode/persistence';
import { DomainError, invalidField, ParseIdPipe } from '@paycode/service-runtime';
import { OtherSchedulers } from '../cells/other-schedulers';
import { ArmReversals } from './arm-reversals';
import { DecideReversals } from './decide-reversals';
import { ReadReversal } from './read-reversal';

/** Most items of one internal call. */
const batchMax = 1_000;
const attemptMax = 32_767;
/** Of `ackTokenHash`. */
const hashForm = /^[0-9a-f]{32}$/;

/** The calls of the dispatcher and of operators. All are batched and may be repeated. */
@Controller('internal/reversals')
export class ReversalsController {
  constructor(
    private readonly armReversals: ArmReversals,
    private readonly decideReversals: DecideReversals,
    private readonly readReversal: ReadReversal,
    /** Absent: the platform is one cell. */
    @Optional() private readonly others?: OtherSchedulers,
  ) {}

  /** Answers after the commit. From then on the payment is reversed unless it is acknowledged (R-1-6, R-6.2-1). */
  @Post('arm')
  @HttpCode(200)
  arm(@Body() body: unknown): Promise<ArmAnswer[]> {
    const items = readBatch(body, item => ({
      transactionId: item.integer('transactionId'),
      merchantId: item.integer('merchantId'),
      attempt: item.integer('attempt', 1, attemptMax),
      ...item.text('ackTokenHash', hashForm),
      ...item.text('traceparent'),
    }));
    return whenNotFull(this.armReversals.arm(items));
  }

  /**
   * The fast path of a verdict. AckReceived and the timer are the durable paths, also for a verdict that fails here
   * because of its data.
   */
  @Post('settle')
  @HttpCode(204)
  async settle(@Body() body: unknown): Promise<void> {
    const items = readBatch(body, item => ({
      transactionId: item.integer('transactionId'),
      merchantId: item.integer('merchantId'),
      verdict: item.oneOf('verdict', verdictKinds),
      ...item.text('traceparent'),
    }));
    await whenNotFull(this.decideReversals.decideEach(items));
  }

  @Get(':transactionId')
  state(
    @Param('transactionId', ParseIdPipe) transactionId: number,
    @Req() request: InternalRequest & { url: string },
  ): Promise<ReversalState> {
    return orElsewhere(() => this.readReversal.read(transactionId), { transactionId, request }, this.others);
  }
}

/**
 * Reads the array of a batched internal call. It is hand-written for speed, with one pass and no reflection, because it
 * runs for every payment.
 * @throws DomainError 400 naming item and field
 */
function readBatch<T>(body: unknown, readItem: (fields: Fields) => T): T[] {
  if (!Array.isArray(body)) throw invalidField('body', 'must be an array');
  if (body.length > batchMax)
    throw new DomainError({ status: 413, reason: 'BATCH_TOO_LARGE', message: `at most ${batchMax} items` });
  return body.map((item: unknown, at) => {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) throw invalidField(`[${at}]`, 'must be an object');
    return readItem(new Fields(item as Record<string, unknown>, at));
  });
}

/** The fields of one item. */
class Fields {
  constructor(
    private readonly item: Record<string, unknown>,
    private readonly at: number,
  ) {}

  /** An integer in [min, max]; ids are integers in [1, 2^53). */
  integer(name: string, min = 1, max = Number.MAX_SAFE_INTEGER): number {
    const value = this.item[name];
    if (!Number.isSafeInteger(value) || (value as number) < min || (value as number) > max)
      throw invalidField(`[${this.at}].${name}`, `must be an integer from ${min} to ${max}`);
    return value as number;
  }

  /** An optional text: an empty object when the item does not have it. */
  text(name: string, form?: RegExp): { [name: string]: string } {
    const value = this.item[name];
    if (typeof value !== 'string') return {};
    if (form && !form.test(value)) throw invalidField(`[${this.at}].${name}`, `must match ${form.source}`);
    return { [name]: value };
  }

  oneOf<T extends string>(name: string, values: readonly T[]): T {
    const value = this.item[name];
    if (!values.includes(value as T)) throw invalidField(`[${this.at}].${name}`, `must be one of ${values.join(', ')}`);
    return value as T;
  }
}
