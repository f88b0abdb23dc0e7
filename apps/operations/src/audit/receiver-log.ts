import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { ReceiverRecord } from './audited-transaction.ts';

interface LogLine {
  transactionId: number;
  attempt: number;
  /** Status answered; null when the request was never answered. */
  status: number | null;
  elapsedMs: number;
}

/** A line of the receiver's log is malformed. */
class ReceiverLogError extends Error {
  override readonly name = 'ReceiverLogError';
}

/** Reads a receiver's log: one JSON object `{transactionId, attempt, status, elapsedMs}` per line and request. */
export async function readReceiverLog(file: string): Promise<Map<number, ReceiverRecord>> {
  const records = new Map<number, ReceiverRecord>();
  let at = 0;
  for await (const text of createInterface({ input: createReadStream(file, 'utf8'), crlfDelay: Infinity })) {
    at++;
    if (text.trim() === '') continue;
    const { transactionId, ...post } = parse(text, at);
    const known = records.get(transactionId);
    if (known) known.posts.push(post);
    else records.set(transactionId, { posts: [post] });
  }
  return records;
}

function parse(text: string, at: number): LogLine {
  try {
    const line = JSON.parse(text) as Partial<LogLine>;
    if (Number.isSafeInteger(line.transactionId) && Number.isInteger(line.attempt) && line.status !== undefined)
      return line as LogLine;
  } catch (cause) {
    throw new ReceiverLogError(`line ${at} of the receiver log is no JSON`, { cause });
  }
  throw new ReceiverLogError(`line ${at} of the receiver log needs transactionId, attempt, status and elapsedMs`);
}
