import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { requestIdHeader } from '@paycode/dto';
import type { Answer } from '../client-request';

/** What says the same in every answer. Without includeSubDomains: which names lie below ours is for the owner of the zone to say. */
const ownFields = { 'strict-transport-security': 'max-age=31536000', 'x-content-type-options': 'nosniff' };
const lingerMs = 2_000;
const lingerBytesMax = 1_048_576;

export interface AnswerContext {
  request: IncomingMessage;
  response: ServerResponse;
  requestId: string;
  /** True while the gateway stops: the client should come back on another connection. */
  isClosing: boolean;
}

/** Writes an answer to its end. Rejects when the client is gone or a streamed body broke off (the connection is then cut). */
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
 * Reads and drops what a refused client still sends, for a moment and bounded: closing on unread bytes resets the connection, and
 * the client would see a broken pipe instead of the answer.
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
