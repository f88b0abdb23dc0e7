import { type DynamicModule, Global, Module } from '@nestjs/common';
import { InternalClient, ServiceTokenSigner } from '@paycode/access';
import { HttpMerchantDirectory } from './clients/http-merchant-directory.client';
import { MerchantAccess } from './merchant-access';
import { MerchantDirectory } from './merchants.ports';

/** Merchants, as notification-config knows them. */
@Global()
@Module({})
export class MerchantsModule {
  static forUrl(notificationConfigUrl: string): DynamicModule {
    return {
      module: MerchantsModule,
      providers: [
        {
          provide: MerchantDirectory,
          inject: [ServiceTokenSigner],
          useFactory: (signer: ServiceTokenSigner) =>
            new HttpMerchantDirectory(
              new InternalClient({ baseUrl: notificationConfigUrl, audience: 'notification-config', signer }),
            ),
        },
        {
          provide: MerchantAccess,
          inject: [MerchantDirectory],
          useFactory: (directory: MerchantDirectory) => new MerchantAccess(directory),
        },
      ],
      exports: [MerchantDirectory, MerchantAccess],
    };
  }
}
