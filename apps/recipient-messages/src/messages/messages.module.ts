import { type DynamicModule, Inject, Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { InternalClient, ServiceTokenSigner } from '@paycode/access';
import { KeyRing, PayloadSealer } from '@paycode/crypto';
import { Lifecycle, LOGGER, type Logger } from '@paycode/service-runtime';
import { DataSource } from 'typeorm';
import { openChannels } from './channel-table';
import { HttpRecipientDirectory } from './clients/http-recipient.directory';
import { JweNotificationOpener } from './clients/jwe-notification.opener';
import type { SenderOptions } from './clients/senders';
import { TransactionTerminalConsumer } from './events/transaction-terminal.consumer';
import { ChangeNoticesController } from './http/change-notices.controller';
import { MessageWorkersJob } from './jobs/message-workers.job';
import { PostgresMessageQueue } from './persistence/postgres-message.queue';
import { PrometheusMessageMetrics } from './prometheus-message.metrics';
import { QueueMessages } from './queue-messages';
import { SendMessages } from './send-messages';

export interface MessagesOptions {
  /** Internal base URL of notification-config, which knows the recipients. */
  notificationConfigUrl: string;
  /** Keys of sealed notifications, `kid:base64,kid:base64` of 32 bytes each. */
  payloadKeys: string;
  /** A message older than this is not sent any more. */
  ageMsMax: number;
  triesMax: number;
  /** Wait after the first failed try, in milliseconds. */
  firstWaitMs: number;
  senders: SenderOptions;
}

interface Parts {
  client: InternalClient;
  channels: ReturnType<typeof openChannels>;
  queueMessages: QueueMessages;
  workers: MessageWorkersJob;
}

const parts = Symbol('messagesParts');
/** What another replica left when it died is found within this time; its own messages wake a replica. */
const idleMs = 5_000;
const concurrency = 8;

/** Queues messages and sends them, each channel at its own pace. */
@Module({})
export class MessagesModule implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    @Inject(parts) private readonly made: Parts,
    private readonly lifecycle: Lifecycle,
  ) {}

  static register(options: MessagesOptions): DynamicModule {
    const channels = openChannels(options.senders);
    return {
      module: MessagesModule,
      // Without a transport the service consumes no events.
      controllers: [ChangeNoticesController, ...(channels.size === 0 ? [] : [TransactionTerminalConsumer])],
      providers: [
        {
          provide: parts,
          inject: [DataSource, ServiceTokenSigner, LOGGER],
          useFactory: (dataSource: DataSource, signer: ServiceTokenSigner, log: Logger) =>
            assemble(options, { channels, dataSource, signer, log }),
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

function assemble(options: MessagesOptions, { channels, dataSource, signer, log }: Given): Parts {
  const { ageMsMax, triesMax, firstWaitMs } = options;
  const queue = new PostgresMessageQueue(dataSource);
  const client = new InternalClient({
    baseUrl: options.notificationConfigUrl,
    audience: 'notification-config',
    signer,
    socketsMax: 2,
  });
  const queueMessages = new QueueMessages(new HttpRecipientDirectory(client), queue, {
    channels: new Set(channels.keys()),
    ageMsMax,
    nowMs: () => Date.now(),
    queued: () => workers.wake(),
  });
  const metrics = new PrometheusMessageMetrics(() => queue.waiting());
  const notifications = new JweNotificationOpener(new PayloadSealer(KeyRing.parse(options.payloadKeys)));
  const rules = { triesMax, firstWaitMs, concurrency, chance: () => Math.random() };
  const sending = new SendMessages({ queue, notifications, channels, metrics, log }, rules);
  const workers = new MessageWorkersJob(sending, { log, idleMs, tidy: () => queue.tidy(ageMsMax) });
  return { client, channels, queueMessages, workers };
}
