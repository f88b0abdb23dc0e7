import { type DynamicModule, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { IdentityModule, InternalClient, ServiceTokenModule, ServiceTokenSigner, tokenKeyOptionsOf } from '@paycode/access';
import { KeyRing, PayloadSealer } from '@paycode/crypto';
import { ErasureModule } from '@paycode/persistence/erasure';
import { eventsOptionsOf, EventsServer, MessagingModule, OutboxRelay } from '@paycode/events';
import { connectionOptionsOf, DatabaseModule, migrateDatabase } from '@paycode/persistence';
import type { EnvOf, ServiceDefinition } from '@paycode/service-runtime';
import { Clock, SystemClock } from '@paycode/service-runtime/timing';
import { PaymentTracing } from '@paycode/service-runtime/tracing';
import { DataSource } from 'typeorm';
import { migrations } from '../migrations';
import { CodePaymentsService } from './codes/code-payments.service';
import { CodeStore } from './codes/code.store';
import { CodesController, LookupController, SimulationsController } from './codes/codes.controller';
import { CodesService, CodeUrls } from './codes/codes.service';
import { env } from './config/env';
import { entities } from './entities';
import { MerchantAccess, MerchantDirectory } from './merchants';
import { PaymentPageController, QrImageController } from './payment-page/payment-page.controller';
import { QrImages } from './payment-page/qr-images';
import { PortalSandboxController } from './portal-sandbox/portal-sandbox.controller';
import { PortalSandboxService } from './portal-sandbox/portal-sandbox.service';
import { AnnounceLateJob } from './transactions/announce-late.job';
import { ReversalRequestedConsumer } from './transactions/reversal-requested.consumer';
import { ReverseTransactionsService } from './transactions/reverse-transactions.service';
import { storedTransactions, TransactionStore } from './transactions/transaction.store';
import { TransactionsController } from './transactions/transactions.controller';
import { TransactionsService } from './transactions/transactions.service';

/** The payment core of the sandbox: codes, transactions with chosen outcomes, reversals. */
@Module({})
export class AppModule {
  static forRoot(values: EnvOf<typeof env.schema>): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ServiceTokenModule.forRoot('payment-simulator', tokenKeyOptionsOf(values)),
        IdentityModule.forRoot('payment-simulator', { jwksUrl: `${values.AUTH_SESSION_URL}/internal/jwks` }),
        DatabaseModule.forRoot('payment-simulator', { ...connectionOptionsOf(values), migrations, entities }),
        TypeOrmModule.forFeature(entities),
        MessagingModule.forRoot('payment-simulator', eventsOptionsOf(values)),
        ErasureModule.register({ source: storedTransactions, payloadKeys: values.PAYLOAD_KEYS }),
      ],
      controllers: [
        TransactionsController,
        ReversalRequestedConsumer,
        CodesController,
        SimulationsController,
        LookupController,
        PortalSandboxController,
        PaymentPageController,
        QrImageController,
      ],
      providers: [
        TransactionsService,
        ReverseTransactionsService,
        AnnounceLateJob,
        CodesService,
        CodePaymentsService,
        CodeStore,
        PortalSandboxService,
        MerchantAccess,
        { provide: Clock, useClass: SystemClock },
        { provide: PayloadSealer, useFactory: () => new PayloadSealer(KeyRing.parse(values.PAYLOAD_KEYS)) },
        { provide: CodeUrls, useFactory: () => new CodeUrls(values.PUBLIC_BASE_URL) },
        { provide: QrImages, useFactory: () => new QrImages() },
        {
          provide: TransactionStore,
          inject: [DataSource, OutboxRelay, PaymentTracing],
          useFactory: (dataSource: DataSource, relay: OutboxRelay, tracing: PaymentTracing) =>
            new TransactionStore(dataSource, () => relay.wake(), tracing),
        },
        {
          provide: MerchantDirectory,
          inject: [ServiceTokenSigner],
          useFactory: (signer: ServiceTokenSigner) =>
            new MerchantDirectory(
              new InternalClient({ baseUrl: values.NOTIFICATION_CONFIG_URL, audience: 'notification-config', signer }),
            ),
        },
      ],
    };
  }
}

/** The service that `main.ts` and tests start. */
export const simulatorDefinition: ServiceDefinition<typeof env.schema> = {
  name: 'payment-simulator',
  env,
  module: values => AppModule.forRoot(values),
  hasPublicPaths: true,
  migrate: migrateDatabase('payment-simulator', { migrations }),
  events: app => app.get(EventsServer),
};
