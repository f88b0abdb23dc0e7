import { type DynamicModule, Global, Module } from '@nestjs/common';
import { InternalCallersGuard } from './internal-callers.guard';
import { ServiceTokenSigner, ServiceTokenVerifier, type TokenSecrets } from './service-token';

/** Service tokens for one service: signer for its calls, verifier and guard for its internal routes. */
@Global()
@Module({})
export class ServiceTokenModule {
  static forService(name: string, secrets: TokenSecrets): DynamicModule {
    return {
      module: ServiceTokenModule,
      providers: [
        { provide: ServiceTokenSigner, useFactory: () => new ServiceTokenSigner(name, secrets.serviceSecrets) },
        { provide: ServiceTokenVerifier, useFactory: () => new ServiceTokenVerifier(name, secrets) },
        InternalCallersGuard,
      ],
      exports: [ServiceTokenSigner, ServiceTokenVerifier, InternalCallersGuard],
    };
  }
}
