import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { requestIdHeader } from '@paycode/dto';
import type { Answer } from '../client-request';

/**
 * Header fields of every answer. Without includeSubDomains, because the owner of the DNS zone decides about the names below.
 */
const ownFields = { 'strict-transport-security': 'max-age=31536000', 'x-content-type-options': 'nosniff' };
const lingerMs = 2_000;
const lingerBytesMax = 1_048_576;

export interface AnswerContext {
  request: IncomingMessage;
  response: ServerResponse;
  requestId: string;
  /** True while the gateway stops, so that the client uses another connection next. */
  isClosing: boolean;
}

/**
 * Writes a complete answer. Rejects when the client has disconnected or a streamed body ended early (the connection is then
 * closed).
 */
export async function writeAnswer(answer: Answer, { request, response, requestId, isClosing }: AnswerContext): Promise<void> {
  const isUnread = !request.complete;
  response.statusCode = answer.status;
  for (const [name, value] of Object.entries(answer.headers)) response.setHeader(name, value);
  for (const [name, value] of Object.entries(ownFields)) response.setHeader(name, value);
  response.setHeader(requestIdHeader, requestId);
  if (isUnread || isClosing) response.setHeader('connection', 'close');
  if (answer.body instanceof Readable) return pipeline(answer.body, response);
  response.setHeader('content-length', Buffer.byteLength(answer.body));
  if (isUnread && request.method !== 'HEAD') {
    response.write(answer.body);
    await discardRest(request);
    response.end();
    return;
  }
  response.end(answer.body);
}

/**
 * Reads and drops the bytes that a refused client still sends, for a short, bounded time: closing with unread bytes resets the
 * connection, and the client would get a broken pipe instead of the answer.
 */
async function discardRest(request: IncomingMessage): Promise<void> {
  let bytes = 0;
  await new Promise<void>(resolve => {
    const deadline = setTimeout(resolve, lingerMs);
    const done = (): void => {
      clearTimeout(deadline);
      resolve();
    };
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > lingerBytesMax) done();
    });
    request.once('end', done).once('error', done).once('close', done);
    request.resume();
  });
}
