import { type DynamicModule, Global, Module } from '@nestjs/common';
import { WebhookKeys } from './webhook-keys';

@Global()
@Module({})
export class WebhookKeysModule {
  static sealedUnder(keyEncryptionKeys: string): DynamicModule {
    return {
      module: WebhookKeysModule,
      providers: [{ provide: WebhookKeys, useFactory: () => new WebhookKeys(keyEncryptionKeys) }],
      exports: [WebhookKeys],
    };
  }
}
