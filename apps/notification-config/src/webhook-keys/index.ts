export { type SealedWebhookKey, WebhookKeys } from './webhook-keys';
export { WebhookKeysModule } from './webhook-keys.module';
