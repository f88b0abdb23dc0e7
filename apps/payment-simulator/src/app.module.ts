import { type DynamicModule, Module } from '@nestjs/common';
import { IdentityModule, ServiceTokenModule, tokenKeyOptionsOf } from '@paycode/access';
import { ErasureModule } from '@paycode/erasure';
import { eventsOptionsOf, MessagingModule } from '@paycode/events';
import { connectionOptionsOf, DatabaseModule } from '@paycode/persistence';
import type { EnvOf } from '@paycode/service-runtime';
import { migrations } from '../migrations';
import { CodesModule } from './codes';
import type { env } from './config/env';
import { entities } from './entities';
import { MerchantsModule } from './merchants';
import { PaymentPageModule } from './payment-page';
import { storedTransactions, TransactionsModule } from './transactions';

/** The payment core of the sandbox: codes, transactions with chosen outcomes, reversals. */
@Module({})
export class AppModule {
  static forRoot(values: EnvOf<typeof env.schema>): DynamicModule {
    const transactions = TransactionsModule.register({ payloadKeys: values.PAYLOAD_KEYS });
    const codes = CodesModule.register({ publicBaseUrl: values.PUBLIC_BASE_URL, transactions });
    return {
      module: AppModule,
      imports: [
        ServiceTokenModule.forRoot('payment-simulator', tokenKeyOptionsOf(values)),
        IdentityModule.forRoot('payment-simulator', { jwksUrl: `${values.AUTH_SESSION_URL}/internal/jwks` }),
        DatabaseModule.forRoot('payment-simulator', { ...connectionOptionsOf(values), migrations, entities }),
        MessagingModule.forRoot('payment-simulator', eventsOptionsOf(values)),
        MerchantsModule.register({ notificationConfigUrl: values.NOTIFICATION_CONFIG_URL }),
        transactions,
        codes,
        PaymentPageModule.register({ codes }),
        ErasureModule.register({ source: storedTransactions, payloadKeys: values.PAYLOAD_KEYS }),
      ],
    };
  }
}
