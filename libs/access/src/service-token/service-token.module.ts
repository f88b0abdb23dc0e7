import { type DynamicModule, Global, Module } from '@nestjs/common';
import { ServiceTokenKeys, ServiceTokenSigner, type TokenSecrets } from './service-token';
import { ServiceTokenStrategy } from './service-token.strategy';

/** Service tokens for one service: signer for its calls, keys and strategy for its internal routes. */
@Global()
@Module({})
export class ServiceTokenModule {
  static forService(name: string, secrets: TokenSecrets): DynamicModule {
    return {
      module: ServiceTokenModule,
      providers: [
        { provide: ServiceTokenSigner, useFactory: () => new ServiceTokenSigner(name, secrets.serviceSecrets) },
        { provide: ServiceTokenKeys, useFactory: () => new ServiceTokenKeys(name, secrets) },
        ServiceTokenStrategy,
      ],
      exports: [ServiceTokenSigner, ServiceTokenStrategy],
    };
  }
}
