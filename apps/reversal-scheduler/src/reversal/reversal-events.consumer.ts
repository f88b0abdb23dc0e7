import { Controller, Optional, type Type } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  type AckReceived,
  ackReceived,
  type ReversalRequested,
  reversalRequested,
  type SettleItem,
  topics,
  transactionTerminal,
  verdictOfReason,
} from '@paycode/dto';
import { type EventBatch, OnEvents, readEvents, type ReceivedEvent } from '@paycode/events';
import { ackTokenHash } from '@paycode/crypto';
import { OwnCell } from '../cells/own-cell';
import { auditGroup } from '../cells/own-jobs';
import { DecideReversals } from './decide-reversals';
import { decisionFor, type DecisionToRecord, type VerdictToDecide } from './domain/decision';
import { type DecisionOutcome, JobStore, ReversalMetrics } from './reversal.ports';
import { WatchTerminals } from './watch-terminals';

interface Received {
  event: ReceivedEvent;
  ack: AckReceived;
}

/**
 * The way of an acknowledgement: it settles the payment that the dispatcher armed with its token, and no other (T-18). One that is later than the payment's timer changes nothing, because the timer
 * asks the dispatcher, which has the verdict.
 */
@Controller()
export class AckReceivedConsumer {
  constructor(
    private readonly reversals: DecideReversals,
    private readonly jobs: JobStore,
    private readonly metrics: ReversalMetrics,
    @Optional() private readonly cell = new OwnCell(),
  ) {}

  // A payment is due a minute after its arming, so acknowledgements may wait to form batches.
  @OnEvents(topics.ackReceived, { group: 'reversal-scheduler', gatherMs: 100 })
  async onAckReceived(@Payload() all: EventBatch): Promise<void> {
    const batch = this.cell.saidBy('webhook-dispatcher', all);
    const received = readEvents<Received>(batch, (data, event) => {
      const result = ackReceived.parse(data);
      return result.ok ? { ok: true, value: { event, ack: result.value } } : result;
    });
    const outcomes = await this.reversals.decide(received.map(({ ack }) => settlementOf(ack)));
    const nowMs = Date.now();
    outcomes.forEach(({ isNew, decision }, at) => {
      if (isNew && decision === 'SETTLED') this.report(received[at]!.ack, nowMs);
    });
    await this.keepOrRefuse(batch, received, outcomes);
  }

  /**
   * An event without the token of its payment acknowledges nothing: it is parked, and the payment's timer asks the dispatcher. One that comes before
   * the arming is kept until then. A payment that is settled already needs no proof.
   */
  private async keepOrRefuse(
    batch: EventBatch,
    received: readonly Received[],
    outcomes: readonly DecisionOutcome[],
  ): Promise<void> {
    const early: DecisionToRecord[] = [];
    outcomes.forEach(({ unproven, decision, transactionId }, at) => {
      if (!unproven || decision === 'SETTLED') return;
      this.metrics.unproven(unproven, transactionId);
      if (unproven === 'NOT_ARMED' && decision === null) early.push(decisionFor(settlementOf(received[at]!.ack)));
      else batch.reject(received[at]!.event, 'it does not prove that the dispatcher wrote it');
    });
    if (early.length > 0) await this.jobs.keepEarly(early);
  }

  private report({ source, acknowledgedAt }: AckReceived, nowMs: number): void {
    // The dispatcher counts the answers of webhooks, and this is the part of them that was settled in time.
    if (source === 'WEBHOOK') this.metrics.settled(nowMs - Date.parse(acknowledgedAt));
  }
}

function settlementOf({ transactionId, merchantId, source, ackToken }: AckReceived): VerdictToDecide {
  const tokenHash = ackToken === undefined ? null : ackTokenHash(ackToken);
  return {
    transactionId,
    merchantId,
    verdict: source === 'WEBHOOK' ? 'ACKED_HTTP' : 'ACKED_PULL',
    acknowledgement: { tokenHash },
  };
}

/**
 * Reads the scheduler's own requests back. They change nothing, unless the database was restored to an earlier instant. Then they hold the
 * decisions that the database has lost, so that a reversed payment is not delivered again (docs/how-to/back-up-and-restore.md).
 */
@Controller()
export class ReversalRequestedConsumer {
  constructor(
    private readonly reversals: DecideReversals,
    @Optional() private readonly cell = new OwnCell(),
  ) {}

  @OnEvents(topics.reversalRequested, { group: 'reversal-scheduler-restore', gatherMs: 100 })
  async onReversalRequested(@Payload() batch: EventBatch): Promise<void> {
    const own = this.cell.saidBy('reversal-scheduler', batch);
    await this.reversals.decide(readEvents(own, reversalRequested.parse).map(closingOf));
  }
}

function closingOf({ transactionId, merchantId, reason }: ReversalRequested): SettleItem {
  return { transactionId, merchantId, verdict: verdictOfReason(reason) };
}

/**
 * Makes the consumer that reads TransactionTerminal with a delay of `delayMs`. The delay is part of the subscription, so each delay needs
 * its own class.
 */
export function transactionTerminalAuditConsumer(delayMs: number): Type {
  @Controller()
  class TransactionTerminalAuditConsumer {
    constructor(
      private readonly terminals: WatchTerminals,
      @Optional() private readonly cell = new OwnCell(),
    ) {}

    @OnEvents(topics.transactionTerminal, { group: auditGroup, minAgeMs: delayMs })
    async onTransactionTerminal(@Payload() batch: EventBatch): Promise<void> {
      await this.terminals.watch(readEvents(await this.cell.taken(batch), transactionTerminal.parse));
    }
  }
  return TransactionTerminalAuditConsumer;
}
