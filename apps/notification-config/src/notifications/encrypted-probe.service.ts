import { Injectable } from '@nestjs/common';
import { generateWebhookKey, importWebhookKey, webhookEnvelope, webhookHeaders, webhookKeyId } from '@paycode/crypto';
import {
  type EncryptionProfile,
  inVersion,
  type IsOpened,
  serializeNotification,
  type TransactionNotificationV3,
} from '@paycode/dto';
import type { ProbeMessage, ProbeOutcome } from '@paycode/safe-http';
import { DomainError } from '@paycode/service-runtime';
import type { KeyObject } from 'node:crypto';
import { DataSource } from 'typeorm';
import { MerchantEntity } from '../entities';
import { merchantNotFound } from '../merchants/merchants.service';
import type { RequestAccess } from '../probing/probe-budget';
import { ValidateUrlService } from '../probing/validate-url.service';
import { WebhookKeys } from '../webhook-keys/webhook-keys';
import type { HttpNotification } from './domain/notification-configuration';
import { testNotificationOf } from './domain/test-notification';

/** The receiver has answered once already, so it is there; both POSTs end before the portal gives up. */
const counterTestMs = 5_000;

/** The request that is probed: under the key of `http`, wherever the URL is stored. */
export interface EncryptedProbe {
  merchantId: number;
  /** As for probes, whose limits count for these too. */
  caller: string;
  http: Pick<HttpNotification, 'url' | 'version' | 'keyId' | 'sealedKey'>;
  access: RequestAccess;
}

export interface ProbedReceiver {
  transactionId: number;
  reference: string;
  encryption: EncryptionProfile;
  outcome: ProbeOutcome;
  isOpened: IsOpened;
}

// A URL or key that came meanwhile has opened nothing.
const openedSql = `
  update http_notification set opened_at = clock_timestamp()
   where merchant_id = $1 and url = $2 and key_id = $3 and opened_at is null`;

/**
 * Flow: a notification that moves no money, encrypted as those of payments -> one POST -> once more under a key that nobody has -> whether the
 * receiver opens what it takes.
 */
@Injectable()
export class EncryptedProbeService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly keys: WebhookKeys,
    private readonly urls: ValidateUrlService,
  ) {}

  /** @throws DomainError 404, 429 */
  async send(probe: EncryptedProbe): Promise<ProbedReceiver> {
    const merchant = await this.dataSource.getRepository(MerchantEntity).findOneBy({ merchantId: probe.merchantId });
    if (!merchant) throw merchantNotFound();
    const key = importWebhookKey(this.keys.reveal(probe.merchantId, probe.http));
    const sent = await this.post(probe, { merchant, key });
    const isOpened = sent.outcome.isAccepted ? await this.isOpened(probe, merchant) : 'NOT_SEEN';
    return { ...sent, encryption: merchant.encryption, isOpened };
  }

  /** Keeps that the receiver at the URL that is set opens notifications under its key. */
  async opened({ merchantId, http }: Pick<EncryptedProbe, 'merchantId' | 'http'>): Promise<void> {
    await this.dataSource.query(openedSql, [merchantId, http.url, http.keyId]);
  }

  private async post(
    { merchantId, caller, http, access }: EncryptedProbe,
    { merchant, key, totalMs }: { merchant: MerchantEntity; key: KeyObject; totalMs?: number },
  ): Promise<{ transactionId: number; reference: string; outcome: ProbeOutcome }> {
    // Each has an id of its own: a receiver may tell repeats by the id, before it opens anything.
    const notification = testNotificationOf(merchant, Math.random);
    const { transactionId, reference } = notification;
    const { url, version } = http;
    const encrypted = testMessageOf(notification, { encryption: merchant.encryption, version, key });
    const message = totalMs === undefined ? encrypted : { ...encrypted, totalMs };
    return { transactionId, reference, outcome: await this.urls.probe({ merchantId, caller, url, access, message }) };
  }

  /** Whether the receiver refuses what nobody can open. */
  private async isOpened(probe: EncryptedProbe, merchant: MerchantEntity): Promise<IsOpened> {
    try {
      const key = importWebhookKey(generateWebhookKey());
      const { status, isAccepted } = (await this.post(probe, { merchant, key, totalMs: counterTestMs })).outcome;
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
