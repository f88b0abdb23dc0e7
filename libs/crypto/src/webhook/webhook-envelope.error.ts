/** The body cannot be decrypted: wrong key, changed in transit, or no envelope at all. Carries no payload data. */
export class WebhookEnvelopeError extends Error {
  override readonly name = 'WebhookEnvelopeError';

  constructor(cause?: unknown) {
    super('the webhook body cannot be decrypted with this key', { cause });
  }
}
