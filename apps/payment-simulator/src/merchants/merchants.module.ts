import { type DynamicModule, Global, Module } from '@nestjs/common';
import { InternalClient, ServiceTokenSigner } from '@paycode/access';
import { HttpMerchantDirectoryClient } from './clients/http-merchant-directory.client';
import { MerchantAccess } from './merchant-access';
import { MerchantDirectory } from './merchants.ports';

/** Merchants, as notification-config knows them. */
@Global()
@Module({})
export class MerchantsModule {
  static register({ notificationConfigUrl }: { notificationConfigUrl: string }): DynamicModule {
    return {
      module: MerchantsModule,
      providers: [
        {
          provide: MerchantDirectory,
          inject: [ServiceTokenSigner],
          useFactory: (signer: ServiceTokenSigner) =>
            new HttpMerchantDirectoryClient(
              new InternalClient({ baseUrl: notificationConfigUrl, audience: 'notification-config', signer }),
            ),
        },
        MerchantAccess,
      ],
      exports: [MerchantDirectory, MerchantAccess],
    };
  }
}
