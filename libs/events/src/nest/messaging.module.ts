import {
  type DynamicModule,
  Global,
  Inject,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { Lifecycle, LOGGER, type Logger } from '@paycode/service-runtime';
import { readForScrape, scrapedGauge } from '@paycode/service-runtime/metrics';
import { PaymentTracing } from '@paycode/service-runtime/tracing';
import { DataSource } from 'typeorm';
import { createEventTransport } from '../create-event-transport';
import { EventTransport } from '../event-transport';
import type { EventsOptions } from '../events-env';
import { OutboxRelay, type OutboxState } from '../outbox/outbox-relay';
import { EventsServer, eventsServerProvider } from './events-server';

export interface MessagingOptions extends EventsOptions {
  /** Whether an event without a trace begins one here. */
  beginsTraces?: boolean;
  /** How long the service's events may wait to be published together with others, in milliseconds. Default: that of the relay. */
  gatherMs?: number;
}

/** The event transport of a service, the relay that publishes its outbox, and the server of its consumers; each injectable by its class. */
@Global()
@Module({})
export class MessagingModule implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    @Inject(EventTransport) private readonly transport: EventTransport,
    @Inject(OutboxRelay) private readonly relay: OutboxRelay,
    private readonly lifecycle: Lifecycle,
  ) {}

  /** `service` is shown to the database and to the brokers. */
  static forRoot(service: string, { beginsTraces = false, gatherMs, ...events }: MessagingOptions): DynamicModule {
    return {
      module: MessagingModule,
      providers: [
        {
          provide: EventTransport,
          inject: [LOGGER, PaymentTracing],
          useFactory: (log: Logger, tracing: PaymentTracing) =>
            createEventTransport(events, { service, log, tracing, beginsTraces }),
        },
        {
          provide: OutboxRelay,
          inject: [DataSource, EventTransport, LOGGER],
          useFactory: (dataSource: DataSource, transport: EventTransport, log: Logger) =>
            new OutboxRelay({ dataSource, transport, log, gatherMs }),
        },
        eventsServerProvider,
      ],
      exports: [EventTransport, OutboxRelay, EventsServer],
    };
  }

  onApplicationBootstrap(): void {
    observeOutbox(this.relay);
    this.relay.start();
    this.lifecycle.onDrain('outbox', () => this.relay.stop());
  }

  async onApplicationShutdown(): Promise<void> {
    await this.transport.close();
  }
}

const unknownState: OutboxState = { depth: Number.NaN, oldestAgeMs: Number.NaN };

/** Depth and age of the outbox, read when scraped. */
function observeOutbox(relay: OutboxRelay): void {
  const read = () => readForScrape(() => relay.measure(), unknownState);
  scrapedGauge({ name: 'paycode_events_outbox_depth', help: 'Events waiting to be published.' }, async gauge =>
    gauge.set((await read()).depth),
  );
  const help = 'Age of the oldest event waiting to be published.';
  scrapedGauge({ name: 'paycode_events_outbox_oldest_age_seconds', help }, async gauge =>
    gauge.set((await read()).oldestAgeMs / 1_000),
  );
}

/** The event transport of a service that publishes no events and so has no outbox, and the server of its consumers; both injectable by class. */
@Global()
@Module({})
export class ConsumingModule implements OnApplicationShutdown {
  constructor(@Inject(EventTransport) private readonly transport: EventTransport) {}

  /** `service` is shown to the database and to the brokers. */
  static forRoot(service: string, options: EventsOptions): DynamicModule {
    return {
      module: ConsumingModule,
      providers: [
        {
          provide: EventTransport,
          inject: [LOGGER],
          useFactory: (log: Logger) => createEventTransport(options, { service, log }),
        },
        eventsServerProvider,
      ],
      exports: [EventTransport, EventsServer],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.transport.close();
  }
}
