import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { type ArmAnswer, type ReversalState, verdictKinds } from '@paycode/dto';
import { QueueFullError } from '@paycode/persistence';
import { DomainError, invalidField } from '@paycode/service-runtime';
import { ArmReversals } from '../arm-reversals';
import { DecideReversals } from '../decide-reversals';
import { ReadReversal } from '../read-reversal';
import { readBatch } from './batch';

const attemptMax = 32_767;

/** The calls of the dispatcher and of operators. All are batched and may be repeated. */
@Controller('internal/reversals')
export class ReversalsController {
  constructor(
    private readonly armReversals: ArmReversals,
    private readonly decideReversals: DecideReversals,
    private readonly readReversal: ReadReversal,
  ) {}

  /** Answers after the commit. From then on the payment is reversed unless it is acknowledged (R-1-6, R-6.2-1). */
  @Post('arm')
  @HttpCode(200)
  arm(@Body() body: unknown): Promise<ArmAnswer[]> {
    const items = readBatch(body, item => ({
      transactionId: item.integer('transactionId'),
      merchantId: item.integer('merchantId'),
      attempt: item.integer('attempt', 1, attemptMax),
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
  state(@Param('transactionId') transactionId: string): Promise<ReversalState> {
    const id = /^\d{1,16}$/.test(transactionId) ? Number(transactionId) : 0;
    if (!Number.isSafeInteger(id) || id < 1) throw invalidField('transactionId', 'must be an integer in [1, 2^53)');
    return this.readReversal.read(id);
  }
}

async function whenNotFull<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof QueueFullError)) throw error;
    throw new DomainError({ status: 503, reason: error.code, message: 'too much work is waiting', cause: error });
  }
}
