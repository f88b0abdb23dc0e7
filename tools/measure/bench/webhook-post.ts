/** An ordinary POST with undici: one pool per endpoint, keep-alive, and the answer is read. */
import { Agent } from 'undici';
import type { PostJob } from './sinks.ts';

/** Connections to one endpoint; the dispatcher starts with as many. */
const connectionsPerOrigin = 64;

const agent = new Agent({ connections: connectionsPerOrigin, pipelining: 1, keepAliveTimeout: 60_000 });

/** Throws when the answer is not 200. */
export async function postWebhook({ transactionId, url, body }: PostJob): Promise<void> {
  const { origin, pathname } = new URL(url);
  const headers = {
    'content-type': 'text/plain; charset=utf-8',
    'user-agent': 'bench',
    'x-webhook-encryption': 'AES-128-GCM',
    'x-webhook-transaction-id': String(transactionId),
    'x-webhook-attempt': '1',
  };
  const answer = await agent.request({ origin, path: pathname, method: 'POST', headers, body });
  await answer.body.dump();
  if (answer.statusCode !== 200) throw new Error(`answered ${answer.statusCode}`);
}
