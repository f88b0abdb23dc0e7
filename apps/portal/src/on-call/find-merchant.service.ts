import { Inject, Injectable } from '@nestjs/common';
import type { InternalClient } from '@paycode/access';
import {
  type EncryptionProfile,
  type EndpointPause,
  idOf,
  type MerchantEndpoint,
  type MerchantRecord,
  type PortalAccount,
  type PortalAccountRequest,
  type PortalAnswer,
  type PortalNotifications,
  type PortalRequest,
} from '@paycode/dto';
import { DomainError, LOGGER, type Logger } from '@paycode/service-runtime';
import { AuditLog, doneBy } from '../audit';
import { orSilent, valueOf } from '../neighbours';
import type { Proof, Proven } from '../sessions/proofs';
import { MerchantDirectory } from '../tenancy/merchant.directory';
import { maskedRecipient, portalPause } from './domain/on-call';
import { type LastAnswer, OnCallReader } from './on-call-reader';

/** Calls to the services that keep merchants' settings, for people on call. */
export class MerchantCalls {
  constructor(
    private readonly notificationConfig: InternalClient,
    private readonly authSession: InternalClient,
    private readonly dispatcher: InternalClient,
  ) {}

  /** null: there is no such merchant. */
  async notifications(merchantId: number, proof: Proof): Promise<PortalNotifications | null> {
    const path = '/internal/portal/notifications/list';
    const request: PortalRequest = { merchantId };
    return nullWhenUnknown(this.notificationConfig.post<PortalAnswer<PortalNotifications>>(path, request, await proof()));
  }

  /** Of the merchant's programs; null: there is none. */
  async account(merchantId: number, proof: Proof): Promise<PortalAccount | null> {
    const path = '/internal/portal/accounts/show';
    const request: PortalAccountRequest = { type: 'MERCHANT', ownerId: merchantId };
    return nullWhenUnknown(this.authSession.post<PortalAnswer<PortalAccount>>(path, request, await proof()));
  }

  /** Where its deliveries go. */
  async endpoint(merchantId: number, proof: Proof): Promise<MerchantEndpoint> {
    const request = { merchantIds: [merchantId] };
    const [endpoint] = await this.dispatcher.post<[MerchantEndpoint]>('/internal/endpoints', request, await proof());
    return endpoint;
  }
}

async function nullWhenUnknown<T>(asked: Promise<PortalAnswer<T>>): Promise<T | null> {
  try {
    return valueOf(await asked);
  } catch (error) {
    if (error instanceof DomainError && error.status === 404) return null;
    throw error;
  }
}

export interface FoundMerchants {
  merchants: MerchantRecord[];
  isMore: boolean;
}

export interface MerchantSummary {
  merchant: MerchantRecord;
  /** null: notification-config did not answer. */
  receiver: ReceiverSummary | null;
  /** null: there is none, or auth-session did not answer. */
  account: AccountSummary | null;
  lastAnswers: LastAnswer[];
  /** Deliveries to its endpoint wait; null: they do not, or the dispatcher did not answer. */
  pause: EndpointPause | null;
  /** Services that did not answer: what they know is missing. */
  silent: string[];
}

interface ReceiverSummary {
  /** null: no URL is set. */
  host: string | null;
  changedAt: string | null;
  encryption: EncryptionProfile;
  /** Masked. */
  recipients: string[];
}

type AccountSummary = Pick<PortalAccount, 'username' | 'mode' | 'hasPassword' | 'challengeRequired' | 'passwordChangedAt'> & {
  hasPublicKey: boolean;
  isBoundToAddresses: boolean;
};

const foundMax = 20;

/** Flow: id or a part of a name -> merchants; one of them -> what is set for it, without what is secret, and how its receiver answered. */
@Injectable()
export class FindMerchantService {
  constructor(
    private readonly directory: MerchantDirectory,
    private readonly calls: MerchantCalls,
    private readonly reader: OnCallReader,
    private readonly audit: AuditLog,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  async search(text: string): Promise<FoundMerchants> {
    const merchantId = idOf(text);
    const found = await this.directory.search(merchantId === undefined ? { named: text } : { merchantIds: [merchantId] });
    return { merchants: found.slice(0, foundMax), isMore: found.length > foundMax };
  }

  /** @throws DomainError 404 */
  async show(merchantId: number, asking: Proven): Promise<MerchantSummary> {
    const merchant = await this.directory.find(merchantId);
    if (!merchant) throw new DomainError({ status: 404, reason: 'NO_MERCHANT', message: 'there is no such merchant' });
    await this.audit.record({ ...doneBy(asking), action: 'ON_CALL_SEARCHED', merchantId });
    const { proof } = asking;
    const silent: string[] = [];
    const [notifications, account, endpoint, lastAnswers] = await Promise.all([
      orSilent(this.calls.notifications(merchantId, proof), { name: 'notification-config', silent, log: this.log }),
      orSilent(this.calls.account(merchantId, proof), { name: 'auth-session', silent, log: this.log }),
      orSilent(this.calls.endpoint(merchantId, proof), { name: 'dispatcher', silent, log: this.log }),
      this.reader.lastAnswers(merchantId),
    ]);
    const pause = endpoint?.pause ? portalPause(endpoint.pause) : null;
    const receiver = notifications && receiverOf(notifications);
    return { merchant, receiver, account: account && withoutSecrets(account), lastAnswers, pause, silent };
  }
}

function receiverOf({ http, encryption, recipients }: PortalNotifications): ReceiverSummary {
  return {
    // Paths and queries of URLs may hold what only the merchant should know.
    host: http && new URL(http.url).host,
    changedAt: http && http.changedAt,
    encryption,
    recipients: recipients.map(maskedRecipient),
  };
}

function withoutSecrets(account: PortalAccount): AccountSummary {
  const { username, mode, hasPassword, challengeRequired, passwordChangedAt, publicKeySha256, sourceAddresses } = account;
  const rules = { hasPublicKey: publicKeySha256 !== null, isBoundToAddresses: sourceAddresses.length > 0 };
  return { username, mode, hasPassword, challengeRequired, passwordChangedAt, ...rules };
}
