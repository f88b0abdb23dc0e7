import { type DynamicModule, Global, Module } from '@nestjs/common';
import { KeyRing } from '@paycode/crypto';
import { ClientSecrets } from './client-secrets';
import { HttpOpenIdClient } from './clients/http-open-id.client';
import { IdentityProvidersController } from './http/identity-providers.controller';
import { OpenIdClient, ProviderStore } from './identity-providers.ports';
import { PostgresProviderStore } from './persistence/postgres-provider.store';
import { ProviderRules, SetProviderService } from './set-provider.service';

export interface IdentityProvidersOptions {
  environment: 'sandbox' | 'production';
  /** Base URL at which browsers reach the gateway: providers send people back there. */
  publicBaseUrl: string;
  /** Keys that seal secrets of clients, `kid:base64,kid:base64` of 32 bytes each. */
  keyEncryptionKeys: string;
}

/** Where companies, and operators, have their people sign in. */
@Global()
@Module({})
export class IdentityProvidersModule {
  static register({ environment, publicBaseUrl, keyEncryptionKeys }: IdentityProvidersOptions): DynamicModule {
    const redirectUri = `${new URL(publicBaseUrl).origin}/console/sso`;
    return {
      module: IdentityProvidersModule,
      controllers: [IdentityProvidersController],
      providers: [
        { provide: ProviderStore, useClass: PostgresProviderStore },
        { provide: OpenIdClient, useFactory: () => new HttpOpenIdClient(redirectUri) },
        { provide: ClientSecrets, useFactory: () => new ClientSecrets(KeyRing.parse(keyEncryptionKeys)) },
        { provide: ProviderRules, useFactory: () => new ProviderRules(environment) },
        SetProviderService,
      ],
      exports: [ProviderStore, OpenIdClient, ClientSecrets],
    };
  }
}
