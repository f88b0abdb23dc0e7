import { type DynamicModule, Global, Module } from '@nestjs/common';
import { WebhookKeysController } from './http/webhook-keys.controller';
import { PostgresWebhookKeyStore } from './persistence/postgres-webhook-key.store';
import { ResealKeysService } from './reseal-keys.service';
import { WebhookKeys } from './webhook-keys';
import { WebhookKeyStore } from './webhook-keys.ports';

@Global()
@Module({})
export class WebhookKeysModule {
  static register({ keyEncryptionKeys }: { keyEncryptionKeys: string }): DynamicModule {
    return {
      module: WebhookKeysModule,
      controllers: [WebhookKeysController],
      providers: [
        ResealKeysService,
        { provide: WebhookKeys, useFactory: () => new WebhookKeys(keyEncryptionKeys) },
        { provide: WebhookKeyStore, useClass: PostgresWebhookKeyStore },
      ],
      exports: [WebhookKeys],
    };
  }
}
