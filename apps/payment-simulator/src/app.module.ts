import { type DynamicModule, Module } from '@nestjs/common';
import { IdentityModule, ServiceTokenModule, tokenKeySettingsOf } from '@paycode/access';
import { ErasureModule } from '@paycode/erasure';
import { MessagingModule } from '@paycode/events';
import { DatabaseModule } from '@paycode/persistence';
import type { EnvOf } from '@paycode/service-runtime';
import { migrations } from '../migrations';
import { CodesModule } from './codes';
import type { env } from './config/env';
import { entities } from './entities';
import { MerchantsModule } from './merchants';
import { PaymentPageModule } from './payment-page';
import { storedTransactions, TransactionsModule } from './transactions';

/** The sandbox's payment core: codes, transactions with chosen outcomes, reversals. */
@Module({})
export class AppModule {
  static forEnv(values: EnvOf<typeof env.schema>): DynamicModule {
    const transactions = TransactionsModule.withKeys(values.PAYLOAD_KEYS);
    const codes = CodesModule.withSettings({ publicBaseUrl: values.PUBLIC_BASE_URL, transactions });
    return {
      module: AppModule,
      imports: [
        ServiceTokenModule.forService('payment-simulator', tokenKeySettingsOf(values)),
        IdentityModule.forService('payment-simulator', { jwksUrl: `${values.AUTH_SESSION_URL}/internal/jwks` }),
        DatabaseModule.forService('payment-simulator', { env: values, migrations, entities }),
        MessagingModule.forService('payment-simulator', values),
        MerchantsModule.forUrl(values.NOTIFICATION_CONFIG_URL),
        transactions,
        codes,
        PaymentPageModule.withCodes(codes),
        ErasureModule.forSource(storedTransactions, values.PAYLOAD_KEYS),
      ],
    };
  }
}
