export { AckDeadlines } from './ack-deadlines';
export { UndiciWebhookClient } from './clients/undici-webhook.client';
export { DispatchWebhook } from './dispatch-webhook';
export { webhookHeaders } from './domain/webhook-headers';
export { HandshakeGate } from './handshake-gate';
export { type PostOptions, PostWebhook } from './post-webhook';
export { WebhookPoster, WebhookSealer } from './posting.ports';
export { KeyRingWebhookSealer } from './sealing/key-ring-webhook-sealer';
export { TracedWebhookPoster } from './tracing/traced-webhook.poster';
