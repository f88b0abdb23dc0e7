import { type DynamicModule, Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { InternalClient, ServiceTokenSigner } from '@paycode/access';
import { HttpMerchantDirectory } from './clients/http-merchant.directory';
import { MerchantsController } from './http/merchants.controller';
import { NotificationConfigCalls } from './notification-config-calls';
import { MerchantDirectory } from './tenancy.ports';

/** Merchants of the person who is signed in. */
@Global()
@Module({})
export class TenancyModule implements OnApplicationShutdown {
  constructor(@Inject(NotificationConfigCalls) private readonly calls: NotificationConfigCalls) {}

  static register({ notificationConfigUrl }: { notificationConfigUrl: string }): DynamicModule {
    return {
      module: TenancyModule,
      controllers: [MerchantsController],
      providers: [
        {
          provide: NotificationConfigCalls,
          inject: [ServiceTokenSigner],
          useFactory: (signer: ServiceTokenSigner) =>
            // Longer than two probes of a test or the lease of a route take, shorter than the gateway waits.
            new NotificationConfigCalls(
              new InternalClient({
                baseUrl: notificationConfigUrl,
                audience: 'notification-config',
                signer,
                timeoutMs: 24_000,
              }),
            ),
        },
        {
          provide: MerchantDirectory,
          inject: [NotificationConfigCalls],
          useFactory: ({ client }: NotificationConfigCalls) => new HttpMerchantDirectory(client),
        },
      ],
      exports: [MerchantDirectory, NotificationConfigCalls],
    };
  }

  onApplicationShutdown(): void {
    this.calls.client.close();
  }
}
