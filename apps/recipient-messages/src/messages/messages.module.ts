import { type DynamicModule, Inject, Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { InternalClient, ServiceTokenSigner } from '@paycode/access';
import { KeyRing, PayloadSealer } from '@paycode/crypto';
import { Lifecycle, LOGGER, type Logger } from '@paycode/service-runtime';
import { DataSource } from 'typeorm';
import { openChannels } from './channel-table';
import { HttpRecipientDirectory } from './clients/http-recipient.directory';
import { JweNotificationOpener } from './clients/jwe-notification.opener';
import type { SenderSettings } from './clients/senders';
import { TransactionTerminalConsumer } from './events/transaction-terminal.consumer';
import { ChangeNoticesController } from './http/change-notices.controller';
import { MessageWorkersJob } from './jobs/message-workers.job';
import { PostgresMessageQueue } from './persistence/postgres-message.queue';
import { PrometheusMessageMetrics } from './prometheus-message.metrics';
import { QueueMessages } from './queue-messages';
import { SendMessages } from './send-messages';

export interface MessagesSettings extends SenderSettings {
  NOTIFICATION_CONFIG_URL: string;
  PAYLOAD_KEYS: string;
  MESSAGE_AGE_MAX_MS: number;
  MESSAGE_RETRY_MS: number;
  MESSAGE_TRIES_MAX: number;
}

interface Parts {
  client: InternalClient;
  channels: ReturnType<typeof openChannels>;
  queueMessages: QueueMessages;
  workers: MessageWorkersJob;
}

const parts = Symbol('messagesParts');
const idleMs = 1_000;
const concurrency = 8;

/** Queues messages and sends them, each channel at its own pace. */
@Module({})
export class MessagesModule implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    @Inject(parts) private readonly made: Parts,
    private readonly lifecycle: Lifecycle,
  ) {}

  static register(settings: MessagesSettings): DynamicModule {
    const channels = openChannels(settings);
    return {
      module: MessagesModule,
      // Without a transport the service consumes no events.
      controllers: [ChangeNoticesController, ...(channels.size === 0 ? [] : [TransactionTerminalConsumer])],
      providers: [
        {
          provide: parts,
          inject: [DataSource, ServiceTokenSigner, LOGGER],
          useFactory: (dataSource: DataSource, signer: ServiceTokenSigner, log: Logger) =>
            assemble(settings, { channels, dataSource, signer, log }),
        },
        { provide: QueueMessages, inject: [parts], useFactory: ({ queueMessages }: Parts) => queueMessages },
      ],
    };
  }

  onApplicationBootstrap(): void {
    this.made.workers.start();
    this.lifecycle.onDrain('message-workers', () => this.made.workers.stop());
  }

  async onApplicationShutdown(): Promise<void> {
    const { channels, client } = this.made;
    await Promise.all([...channels.values()].map(channel => channel.close()));
    client.close();
  }
}

interface Given extends Pick<Parts, 'channels'> {
  dataSource: DataSource;
  signer: ServiceTokenSigner;
  log: Logger;
}

function assemble(settings: MessagesSettings, { channels, dataSource, signer, log }: Given): Parts {
  const queue = new PostgresMessageQueue(dataSource);
  const client = new InternalClient({
    baseUrl: settings.NOTIFICATION_CONFIG_URL,
    audience: 'notification-config',
    signer,
    socketsMax: 2,
  });
  const queueMessages = new QueueMessages(new HttpRecipientDirectory(client), queue, {
    channels: new Set(channels.keys()),
    ageMsMax: settings.MESSAGE_AGE_MAX_MS,
    nowMs: () => Date.now(),
  });
  const metrics = new PrometheusMessageMetrics(() => queue.waiting());
  const notifications = new JweNotificationOpener(new PayloadSealer(KeyRing.parse(settings.PAYLOAD_KEYS)));
  const rules = {
    triesMax: settings.MESSAGE_TRIES_MAX,
    firstWaitMs: settings.MESSAGE_RETRY_MS,
    concurrency,
    chance: () => Math.random(),
  };
  const sending = new SendMessages({ queue, notifications, channels, metrics, log }, rules);
  const workers = new MessageWorkersJob(sending, { log, idleMs, tidy: () => queue.tidy(settings.MESSAGE_AGE_MAX_MS) });
  return { client, channels, queueMessages, workers };
}
