import { type DynamicModule, Inject, Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { InternalClient, ServiceTokenModule, ServiceTokenSigner, tokenKeyOptionsOf } from '@paycode/access';
import { KeyRing, PayloadSealer } from '@paycode/crypto';
import { ErasureModule } from '@paycode/persistence/erasure';
import { ConsumingModule, DeadLettersModule, eventsOptionsOf, EventsServer } from '@paycode/events';
import { connectionOptionsOf, DatabaseModule, migrateDatabase } from '@paycode/persistence';
import { Lifecycle, LOGGER, type Logger, type ServiceDefinition } from '@paycode/service-runtime';
import { migrations } from '../migrations';
import { senderOptionsOf, type Settings, env } from './config/env';
import { ChangeNoticesController } from './messages/change-notices.controller';
import { type OpenChannels, openChannels } from './messages/channel-table';
import { MessageWorkersJob } from './messages/message-workers.job';
import { MessageQueue, storedMessages } from './messages/message.queue';
import { QueueMessages, RecipientDirectory } from './messages/queue-messages';
import { MessageMetrics, SendMessages, type SendMessagesParts } from './messages/send-messages';
import { TransactionTerminalConsumer } from './messages/transaction-terminal.consumer';

const CHANNELS = Symbol('CHANNELS');
/** A replica finds messages that a dead replica left within this time. Its own messages wake it at once. */
const idleMs = 5_000;
const concurrency = 8;
/** An older message misleads its reader; the portal lists what was paid. */
const ageMsMax = 86_400_000;

/** Tests change them. */
export const messageTries = {
  /** The last of 8 comes half an hour after the first: a mail server that greylists or restarts is back by then. */
  triesMax: 8,
  /** Longer than a server's hiccup; doubled each time, with jitter, up to half an hour. */
  firstWaitMs: 15_000,
};

/** E-mails and short messages to merchants' recipients, beside webhooks and without effect on payments (R-1-8, R-6.2-3). */
@Module({})
export class AppModule implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    @Inject(CHANNELS) private readonly channels: OpenChannels,
    @Inject(InternalClient) private readonly notificationConfig: InternalClient,
    @Inject(MessageWorkersJob) private readonly workers: MessageWorkersJob,
    @Inject(Lifecycle) private readonly lifecycle: Lifecycle,
  ) {}

  static forRoot(settings: Settings, tries = messageTries): DynamicModule {
    const channels = openChannels(senderOptionsOf(settings));
    return {
      module: AppModule,
      imports: [
        ServiceTokenModule.forRoot('recipient-messages', tokenKeyOptionsOf(settings)),
        DatabaseModule.forRoot('recipient-messages', { ...connectionOptionsOf(settings), migrations }),
        DeadLettersModule,
        ConsumingModule.forRoot('recipient-messages', eventsOptionsOf(settings)),
        ErasureModule.register({ source: storedMessages, payloadKeys: settings.PAYLOAD_KEYS }),
      ],
      // Without a transport the service consumes no events.
      controllers: [ChangeNoticesController, ...(channels.size === 0 ? [] : [TransactionTerminalConsumer])],
      providers: [
        MessageQueue,
        { provide: CHANNELS, useFactory: () => channels },
        {
          provide: InternalClient,
          inject: [ServiceTokenSigner],
          useFactory: (signer: ServiceTokenSigner) =>
            new InternalClient({
              baseUrl: settings.NOTIFICATION_CONFIG_URL,
              audience: 'notification-config',
              signer,
              socketsMax: 2,
            }),
        },
        {
          provide: SendMessages,
          inject: [MessageQueue, LOGGER],
          useFactory: (queue: MessageQueue, log: Logger) => sendMessages(settings, { queue, channels, log }, tries),
        },
        {
          provide: MessageWorkersJob,
          inject: [SendMessages, MessageQueue, LOGGER],
          useFactory: (sending: SendMessages, queue: MessageQueue, log: Logger) =>
            new MessageWorkersJob(sending, { log, idleMs, tidy: () => queue.tidy(ageMsMax) }),
        },
        {
          provide: QueueMessages,
          inject: [InternalClient, MessageQueue, MessageWorkersJob],
          useFactory: (client: InternalClient, queue: MessageQueue, workers: MessageWorkersJob) =>
            new QueueMessages(new RecipientDirectory(client), queue, {
              channels: new Set(channels.keys()),
              ageMsMax,
              portalUrl: `${new URL(settings.PUBLIC_BASE_URL).origin}/console`,
              nowMs: () => Date.now(),
              queued: () => workers.wake(),
            }),
        },
      ],
    };
  }

  onApplicationBootstrap(): void {
    this.workers.start();
    this.lifecycle.onDrain('message-workers', () => this.workers.stop());
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([...this.channels.values()].map(channel => channel.close()));
    this.notificationConfig.close();
  }
}

function sendMessages(
  settings: Settings,
  given: Pick<SendMessagesParts, 'queue' | 'channels' | 'log'>,
  tries: typeof messageTries,
): SendMessages {
  const payloads = new PayloadSealer(KeyRing.parse(settings.PAYLOAD_KEYS));
  const metrics = new MessageMetrics(() => given.queue.waiting());
  const rules = { ...tries, concurrency, chance: () => Math.random() };
  return new SendMessages({ ...given, payloads, metrics }, rules);
}

/** The service that `main.ts` and tests start. */
export const recipientMessagesDefinition: ServiceDefinition<typeof env.schema> = {
  name: 'recipient-messages',
  env,
  module: settings => AppModule.forRoot(settings),
  hasPublicPaths: false,
  migrate: migrateDatabase('recipient-messages', { migrations }),
  events: app => app.get(EventsServer),
};
