export { AckDeadlines } from './ack-deadlines.service';
export { UndiciWebhookClient } from './clients/undici-webhook.client';
export { DispatchWebhook } from './dispatch-webhook.service';
export { HandshakeGate } from './handshake-gate.service';
export { type PostOptions, PostWebhook } from './post-webhook.service';
export { type IdleConnections, WebhookPoster, WebhookSealer } from './posting.ports';
export { KeyRingWebhookSealer } from './sealing/key-ring-webhook-sealer';
export { TracedWebhookPoster } from './tracing/traced-webhook.poster';
