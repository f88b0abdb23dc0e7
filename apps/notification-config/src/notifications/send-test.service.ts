import { Inject, Injectable } from '@nestjs/common';
import { generateWebhookKey, importWebhookKey, webhookEnvelope, webhookHeaders, webhookKeyId } from '@paycode/crypto';
import {
  type EncryptionProfile,
  inVersion,
  type IsOpened,
  serializeNotification,
  type TestNotificationResult,
  type TransactionNotificationV3,
} from '@paycode/dto';
import type { ProbeMessage, ProbeOutcome } from '@paycode/safe-http';
import { DomainError, invalidField } from '@paycode/service-runtime';
import type { KeyObject } from 'node:crypto';
import { DataSource } from 'typeorm';
import { insertAuditEvents, type Origin } from '../audit';
import { HttpNotificationEntity, MerchantEntity } from '../entities';
import { merchantNotFound } from '../merchants/merchants.service';
import { ValidateUrlService } from '../probing/validate-url.service';
import { WebhookKeys } from '../webhook-keys/webhook-keys';
import type { HttpNotification } from './domain/notification-configuration';
import { type NotifiedMerchant, testNotificationOf } from './domain/test-notification';
import { notificationNotSet } from './notifications.service';
import { ReceiverAccessService } from './receiver-access.service';

export const TEST_RULES = Symbol('TEST_RULES');

export interface TestRules {
  /** Where a test reaches a shop at work, so that its owner has to want it. */
  isProduction: boolean;
}

export interface TestOrder {
  merchantId: number;
  /** As for probes, whose limits count for tests too. */
  caller: string;
  origin: Origin;
  /** The merchant's person who wants the test; production sends none without. */
  askedBy: string | undefined;
}

/** The receiver has answered once already, so it is there; both POSTs end before the portal gives up. */
const counterTestMs = 5_000;

/** The outcome of a test notification, for the audit log. */
interface TestRecord {
  transactionId: number;
  outcome: string;
  isOpened: IsOpened;
  askedBy: string | undefined;
}

/** Where a test notification goes, and under which key. */
interface TestReceiver {
  merchant: NotifiedMerchant;
  encryption: EncryptionProfile;
  http: HttpNotification | null;
}

/** The merchants to which tests go, and the record of each test. */
@Injectable()
export class TestReceivers {
  constructor(private readonly dataSource: DataSource) {}

  /** @throws DomainError 404 */
  async find(merchantId: number): Promise<TestReceiver> {
    const merchant = await this.dataSource.getRepository(MerchantEntity).findOneBy({ merchantId });
    if (!merchant) throw merchantNotFound();
    const http = await this.dataSource.getRepository(HttpNotificationEntity).findOneBy({ merchantId });
    return { merchant, encryption: merchant.encryption, http };
  }

  /** Writes the sender, the outcome and the person who asked to the audit log. */
  async record(merchantId: number, origin: Origin, sent: TestRecord): Promise<void> {
    const { transactionId, outcome, isOpened, askedBy } = sent;
    const detail = { transactionId: String(transactionId), outcome, isOpened, ...(askedBy ? { askedBy } : {}) };
    await insertAuditEvents(this.dataSource.manager, { merchantId, origin }, [{ kind: 'TEST_SENT', detail }]);
  }
}

/**
 * Flow: the merchant's URL and key -> a notification that moves no money, encrypted as those of payments -> one POST -> once more under a
 * key that nobody has -> how the receiver answered. No payment, no delivery and no reversal knows of it: nothing is armed, and nothing is
 * sent again.
 */
@Injectable()
export class SendTestService {
  constructor(
    private readonly receivers: TestReceivers,
    private readonly keys: WebhookKeys,
    private readonly urls: ValidateUrlService,
    private readonly access: ReceiverAccessService,
    @Inject(TEST_RULES) private readonly rules: TestRules,
  ) {}

  /** @throws DomainError 400 in production unless somebody asked, 404 unknown merchant, R-7-10, 429 */
  async send(order: TestOrder): Promise<TestNotificationResult<ProbeOutcome>> {
    if (this.rules.isProduction && !order.askedBy) throw invalidField('askedBy', 'must name who of the merchant wants the test');
    const receiver = await this.receivers.find(order.merchantId);
    if (!receiver.http) throw notificationNotSet();
    const { http, encryption } = receiver;
    const key = importWebhookKey(this.keys.reveal(order.merchantId, http));
    const { transactionId, reference, outcome } = await this.post(order, { receiver, key });
    const isOpened = outcome.isAccepted ? await this.isOpened(order, receiver) : 'NOT_SEEN';
    const result = { transactionId, outcome: outcome.detail ?? 'ACCEPTED', isOpened, askedBy: order.askedBy };
    await this.receivers.record(order.merchantId, order.origin, result);
    return { url: http.url, transactionId, reference, encryption, isOpened, ...outcome };
  }

  private async post(
    { merchantId, caller }: TestOrder,
    { receiver, key, totalMs }: { receiver: TestReceiver; key: KeyObject; totalMs?: number },
  ): Promise<{ transactionId: number; reference: string; outcome: ProbeOutcome }> {
    // Each has an id of its own: a receiver may tell repeats by the id, before it opens anything.
    const notification = testNotificationOf(receiver.merchant, Math.random);
    const { transactionId, reference } = notification;
    const { url, version } = receiver.http!;
    const message = testMessageOf(notification, { encryption: receiver.encryption, version, key });
    const outcome = await this.urls.probe({
      merchantId,
      caller,
      url,
      access: this.access.current(merchantId, receiver.http!),
      message: totalMs === undefined ? message : { ...message, totalMs },
    });
    return { transactionId, reference, outcome };
  }

  /** Whether the receiver refuses what nobody can open. */
  private async isOpened(order: TestOrder, receiver: TestReceiver): Promise<IsOpened> {
    try {
      const key = importWebhookKey(generateWebhookKey());
      const { status, isAccepted } = (await this.post(order, { receiver, key, totalMs: counterTestMs })).outcome;
      if (isAccepted) return 'NO';
      return status === null ? 'NOT_SEEN' : 'YES';
    } catch (error) {
      // The limits of probes are reached; how the receiver answered the first is known all the same.
      if (error instanceof DomainError && error.status === 429) return 'NOT_SEEN';
      throw error;
    }
  }
}

/** The header fields of a delivery's first attempt, and one that says what this is. */
function testMessageOf(
  notification: TransactionNotificationV3,
  { encryption, version, key }: { encryption: EncryptionProfile; version: string; key: KeyObject },
): ProbeMessage {
  const envelope = webhookEnvelope(encryption);
  const { transactionId } = notification;
  return {
    body: envelope.encrypt(key, inVersion(version, serializeNotification(notification))),
    headers: {
      ...webhookHeaders({
        transactionId,
        attempt: 1,
        encryption: envelope.headerValue,
        keyId: webhookKeyId(key),
        epochMs: Date.now(),
      }),
      'x-webhook-test': '1',
    },
  };
}
