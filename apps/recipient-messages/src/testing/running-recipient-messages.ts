import type { IncomingMessage, ServerResponse } from 'node:http';
import { randomBytes } from 'node:crypto';
import { type InvitedPerson, personHeader, type ServiceName } from '@paycode/access';
import { TestTokenKeys } from '@paycode/access/testing';
import { KeyRing, PayloadSealer } from '@paycode/crypto';
import {
  eventTypes,
  noRecipients,
  type Recipients,
  type RoutesRequest,
  serializeNotification,
  topics,
  type TransactionNotificationV3,
  type TransactionTerminal,
} from '@paycode/dto';
import { noRoute } from '@paycode/dto/testing';
import { type EventToPublish, EventTransport } from '@paycode/events';
import { createTestDatabase, type TestDatabase } from '@paycode/persistence/testing';
import { type RunningService, startService } from '@paycode/service-runtime';
import { answerJson, FakeServer } from '@paycode/service-runtime/testing';
import axios from 'axios';
import { AppModule, messageTries, recipientMessagesDefinition } from '../app.module';
import type { Settings } from '../config/env';

/** notification-config that answers `/internal/routes` from a map, over real HTTP; merchants without an entry have no recipients. */
export class FakeNotificationConfig extends FakeServer {
  readonly recipients = new Map<number, Partial<Recipients>>();
  protected override handle(_: IncomingMessage, response: ServerResponse, body: string): void {
    const recipientsOf = (merchantId: number) => ({ ...noRecipients, ...this.recipients.get(merchantId) });
    const { merchantIds } = JSON.parse(body) as RoutesRequest;
    const routes = merchantIds.map(merchantId => ({ ...noRoute, recipients: recipientsOf(merchantId), merchantId }));
    answerJson(response, routes);
  }
}

export const tokenKeys = new TestTokenKeys();

export interface MessageRow {
  channel: string;
  state: string;
  tries: number;
  recipient: string;
  notification: string | null;
  change_notice: object | null;
}

interface Asked {
  body: unknown;
  assertion?: string;
}

/** recipient-messages as a process runs it, on databases of its own, with a fake notification-config. */
export class RecipientMessagesHarness {
  private service: RunningService | undefined;
  private readonly payloadKeys = `k1:${randomBytes(32).toString('base64')}`;
  private readonly payloads = new PayloadSealer(KeyRing.parse(this.payloadKeys));
  /** Of every payment, so that the same event twice is the same. Messages are sent of fresh payments only. */
  private readonly completedAt = new Date().toISOString();

  private constructor(
    readonly database: TestDatabase,
    readonly events: TestDatabase,
    readonly neighbour: FakeNotificationConfig,
  ) {}

  static async open(): Promise<RecipientMessagesHarness> {
    return new RecipientMessagesHarness(
      await createTestDatabase(),
      await createTestDatabase(),
      await new FakeNotificationConfig().listen(),
    );
  }

  async close(): Promise<void> {
    await this.service?.stop('test');
    await this.neighbour.stop();
    await Promise.all([this.database.drop(), this.events.drop()]);
  }

  /** `tries`: in the place of constants. */
  async start(over: Record<string, string> = {}, tries: Partial<typeof messageTries> = {}): Promise<RunningService> {
    const module = (settings: Settings) => AppModule.forRoot(settings, { ...messageTries, ...tries });
    this.service = await startService(
      { ...recipientMessagesDefinition, module },
      {
        INTERNAL_PORT: '0',
        LOG_LEVEL: 'silent',
        DATABASE_URL: this.database.url,
        EVENTS_DATABASE_URL: this.events.url,
        ...tokenKeys.env('recipient-messages'),
        NOTIFICATION_CONFIG_URL: this.neighbour.url,
        PAYLOAD_KEYS: this.payloadKeys,
        PUBLIC_BASE_URL: 'https://pay.example',
        ...over,
      },
    );
    return this.service;
  }

  get url(): string {
    return `http://127.0.0.1:${this.service!.ports.internal}`;
  }

  /** A terminal event whose notification opens with the platform's keys. */
  terminal(notification: TransactionNotificationV3): TransactionTerminal {
    const { transactionId, merchantId, status } = notification;
    return {
      transactionId,
      merchantId,
      kind: 'PURCHASE',
      status,
      txState: 'SUCCESS',
      referenceTransactionId: 0,
      completedAt: this.completedAt,
      notification: this.payloads.seal(serializeNotification(notification)),
    };
  }

  async publish(...terminals: TransactionTerminal[]): Promise<void> {
    await this.service!.app.get(EventTransport).publish(terminals.map(eventOf));
  }

  messagesOf(transactionId: number): Promise<MessageRow[]> {
    const sql = 'select * from recipient_message where transaction_id = $1 order by channel, message_id';
    return this.database.dataSource.query<MessageRow[]>(sql, [transactionId]);
  }

  /** Opens what a message holds of its transaction. */
  opened({ notification }: MessageRow): string {
    return this.payloads.openText(notification!);
  }

  /** Status of `POST /internal/recipient-messages/notices` by that service. */
  async postNotices(caller: ServiceName, body: unknown): Promise<number> {
    const headers = tokenKeys.headers(caller, 'recipient-messages');
    const url = `${this.url}/internal/recipient-messages/notices`;
    return (await axios.post(url, body, { headers, validateStatus: () => true })).status;
  }

  /** Status of `POST /internal/recipient-messages/invitations` by that service, with an assertion of an invitation that auth-session would sign. */
  postInvitation(caller: ServiceName, body: unknown, invited: Partial<InvitedPerson> = {}): Promise<number> {
    return this.post(caller, 'invitations', { body, assertion: tokenKeys.invitationAssertion(invited) });
  }

  /** Status of `POST /internal/recipient-messages/<path>` by that service, with an assertion: that of a person by default. */
  async post(caller: ServiceName, path: string, { body, assertion = tokenKeys.personAssertion() }: Asked): Promise<number> {
    const headers = { ...tokenKeys.headers(caller, 'recipient-messages'), [personHeader]: assertion };
    const url = `${this.url}/internal/recipient-messages/${path}`;
    return (await axios.post(url, body, { headers, validateStatus: () => true })).status;
  }

  /** For the operator's command line. */
  operatorToken(): string {
    return tokenKeys.operatorToken();
  }
}

function eventOf(terminal: TransactionTerminal): EventToPublish {
  return {
    topic: topics.transactionTerminal,
    key: String(terminal.transactionId),
    id: `terminal-${terminal.transactionId}`,
    type: eventTypes[topics.transactionTerminal],
    source: 'test',
    time: terminal.completedAt,
    data: terminal,
  };
}
