/** The floor to compare with: the same POSTs in a loop of plain undici, without event, database, encryption or verdict. */
import { generateWebhookKey, importWebhookKey, webhookEnvelope } from '@paycode/crypto';
import { serializeNotification } from '@paycode/dto';
import { Agent } from 'undici';
import { monotonicMs, serveCalls } from './child-processes.ts';
import { sampleNotification } from './merchants.ts';

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

/** One pool per endpoint; the dispatcher starts with as many connections to each. */
const agent = new Agent({ connections: 64, pipelining: 1, keepAliveTimeout: 60_000 });

async function run({ firstId, count, urls, concurrency }: FloorOptions): Promise<FloorResult> {
  const key = importWebhookKey(generateWebhookKey());
  const plaintext = Buffer.from(serializeNotification(sampleNotification(firstId, 1_001)));
  const body = webhookEnvelope('AES-128-GCM').encrypt(key, plaintext);
  let next = 0;
  const loop = async (): Promise<void> => {
    for (let at = next++; at < count; at = next++) await post(firstId + at, urls[at % urls.length]!, body);
  };
  const startedMs = monotonicMs();
  await Promise.all(Array.from({ length: concurrency }, loop));
  return { elapsedMs: monotonicMs() - startedMs };
}

/** Throws when the answer is not 200. */
async function post(transactionId: number, url: string, body: string): Promise<void> {
  const { origin, pathname: path } = new URL(url);
  const headers = {
    'content-type': 'text/plain; charset=utf-8',
    'user-agent': 'bench',
    'x-webhook-encryption': 'AES-128-GCM',
    'x-webhook-transaction-id': String(transactionId),
    'x-webhook-attempt': '1',
  };
  const answer = await agent.request({ origin, path, method: 'POST', headers, body });
  await answer.body.dump();
  if (answer.statusCode !== 200) throw new Error(`answered ${answer.statusCode}`);
}

serveCalls({ run });
