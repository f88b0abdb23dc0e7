import { type DynamicModule, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { InternalClient, ServiceTokenSigner } from '@paycode/access';
import { KeyRing, PayloadSealer } from '@paycode/crypto';
import { HttpNotificationCalls } from './clients/http-notification-calls';
import { HttpPaymentWitness } from './clients/http-payment-witness';
import { PaymentEventsConsumer } from './events/payment-events.consumer';
import { ExportPaymentsService } from './export-payments.service';
import { HomeController } from './http/home.controller';
import { NotificationController } from './http/notification.controller';
import { PaymentChangesController } from './http/payment-changes.controller';
import { PaymentsController } from './http/payments.controller';
import { NotificationCalls, PaymentReader, PaymentWitness, PaymentWriter } from './payments.ports';
import { PostgresPaymentReader } from './persistence/postgres-payment-reader';
import { PostgresPaymentWriter } from './persistence/postgres-payment-writer';
import { ReadNotificationService } from './read-notification.service';
import { NOTIFICATION_SEALER, RecordPaymentsService } from './record-payments.service';
import { ShowPaymentService } from './show-payment.service';
import { FollowPaymentsService } from './follow-payments.service';

export interface PaymentsOptions {
  /** Internal base URLs of the two services that know more of a payment than its events tell. */
  webhookDispatcherUrl: string;
  reversalSchedulerUrl: string;
  /** Keys of sealed notifications, `kid:base64,kid:base64` of 32 bytes each. */
  payloadKeys: string;
}

/** What became of payments: a read model of the events, and what the services that act on them know. */
@Module({})
export class PaymentsModule implements OnApplicationShutdown {
  constructor(
    @Inject(PaymentWitness) private readonly witness: HttpPaymentWitness,
    @Inject(NotificationCalls) private readonly calls: HttpNotificationCalls,
  ) {}

  static register({ webhookDispatcherUrl, reversalSchedulerUrl, payloadKeys }: PaymentsOptions): DynamicModule {
    const clientOf = (baseUrl: string, audience: string, signer: ServiceTokenSigner) =>
      new InternalClient({ baseUrl, audience, signer, socketsMax: 4, timeoutMs: 3_000 });
    return {
      module: PaymentsModule,
      controllers: [PaymentEventsConsumer, PaymentsController, PaymentChangesController, NotificationController, HomeController],
      providers: [
        {
          provide: PaymentWitness,
          inject: [ServiceTokenSigner],
          useFactory: (signer: ServiceTokenSigner) =>
            new HttpPaymentWitness(
              clientOf(webhookDispatcherUrl, 'webhook-dispatcher', signer),
              clientOf(reversalSchedulerUrl, 'reversal-scheduler', signer),
            ),
        },
        {
          provide: NotificationCalls,
          inject: [ServiceTokenSigner],
          useFactory: (signer: ServiceTokenSigner) =>
            new HttpNotificationCalls(clientOf(webhookDispatcherUrl, 'webhook-dispatcher', signer)),
        },
        { provide: PaymentReader, useClass: PostgresPaymentReader },
        { provide: PaymentWriter, useClass: PostgresPaymentWriter },
        { provide: NOTIFICATION_SEALER, useFactory: () => new PayloadSealer(KeyRing.parse(payloadKeys)) },
        RecordPaymentsService,
        ShowPaymentService,
        ExportPaymentsService,
        FollowPaymentsService,
        ReadNotificationService,
      ],
    };
  }

  onApplicationShutdown(): void {
    this.witness.close();
    this.calls.close();
  }
}
