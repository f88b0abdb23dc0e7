import { Inject, Injectable } from '@nestjs/common';
import type { TestNotificationResult } from '@paycode/dto';
import type { ProbeOutcome } from '@paycode/safe-http';
import { invalidField } from '@paycode/service-runtime';
import { DataSource } from 'typeorm';
import { insertAuditEvents, type Origin } from '../audit';
import { merchantNotFound } from '../merchants/merchants.service';
import { ConfigurationStore } from './configuration.store';
import { EncryptedProbeService } from './encrypted-probe.service';
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

/**
 * Flow: the merchant's URL and key -> an encrypted probe -> how the receiver answered. No payment, no delivery and no reversal knows of it:
 * nothing is armed, and nothing is sent again.
 */
@Injectable()
export class SendTestService {
  constructor(
    private readonly store: ConfigurationStore,
    private readonly dataSource: DataSource,
    private readonly probes: EncryptedProbeService,
    private readonly access: ReceiverAccessService,
    @Inject(TEST_RULES) private readonly rules: TestRules,
  ) {}

  /** @throws DomainError 400 in production unless somebody asked, 404 unknown merchant, R-7-10, 429 */
  async send({ merchantId, caller, origin, askedBy }: TestOrder): Promise<TestNotificationResult<ProbeOutcome>> {
    if (this.rules.isProduction && !askedBy) throw invalidField('askedBy', 'must name who of the merchant wants the test');
    const configuration = await this.store.find({ merchantId, owner: 'OPERATOR' });
    if (!configuration) throw merchantNotFound();
    const { http } = configuration;
    if (!http) throw notificationNotSet();
    const probe = { merchantId, caller, http, access: this.access.current(merchantId, http) };
    const { outcome, ...sent } = await this.probes.send(probe);
    if (sent.isOpened === 'YES') await this.probes.opened(probe);
    const told = { transactionId: String(sent.transactionId), outcome: outcome.detail ?? 'ACCEPTED', isOpened: sent.isOpened };
    const event = { kind: 'TEST_SENT', detail: { ...told, ...(askedBy ? { askedBy } : {}) } } as const;
    await insertAuditEvents(this.dataSource.manager, { merchantId, origin }, [event]);
    return { url: http.url, ...sent, ...outcome };
  }
}
