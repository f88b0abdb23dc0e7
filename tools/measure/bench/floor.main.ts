/** The floor: the same POSTs in a loop, without event, database, encryption or verdict. */
import { generateWebhookKey, importWebhookKey, webhookEnvelope } from '@paycode/crypto';
import { serializeNotification } from '@paycode/dto';
import { serveCalls } from './child-processes.ts';
import { monotonicMs } from './meters.ts';
import { sampleNotification } from './merchants.ts';
import { postWebhook } from './sinks.ts';

export interface FloorOptions {
  firstId: number;
  count: number;
  urls: string[];
  /** POSTs under way at a time. */
  concurrency: number;
}

export interface FloorResult {
  elapsedMs: number;
}

async function run({ firstId, count, urls, concurrency }: FloorOptions): Promise<FloorResult> {
  const key = importWebhookKey(generateWebhookKey());
  const body = webhookEnvelope('AES-128-GCM').encrypt(
    key,
    Buffer.from(serializeNotification(sampleNotification(firstId, 1_001))),
  );
  let next = 0;
  const loop = async (): Promise<void> => {
    for (let at = next++; at < count; at = next++) {
      await postWebhook({ transactionId: firstId + at, url: urls[at % urls.length]!, body });
    }
  };
  const startedMs = monotonicMs();
  await Promise.all(Array.from({ length: concurrency }, loop));
  return { elapsedMs: monotonicMs() - startedMs };
}

serveCalls({ run });
