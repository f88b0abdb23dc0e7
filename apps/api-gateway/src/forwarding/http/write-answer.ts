import type { IncomingMessage, ServerResponse } from 'node:http';
import { requestIdHeader } from '@paycode/dto';
import type { Answer } from '../client-request';
import type { AnswerBuffers } from './answer-buffers';

/**
 * Header fields of every answer. Without includeSubDomains, because the owner of the DNS zone decides about the names below.
 */
const ownFields = { 'strict-transport-security': 'max-age=31536000', 'x-content-type-options': 'nosniff' };
const lingerMs = 2_000;
const lingerBytesMax = 1_048_576;

export interface AnswerContext {
  request: IncomingMessage;
  response: ServerResponse;
  buffers: AnswerBuffers;
  requestId: string;
  /** Of the client. */
  address: string;
  /** True while the gateway stops, so that the client uses another connection next. */
  isClosing: boolean;
}

/**
 * Writes a complete answer. Rejects when the client has disconnected or was cut off, or a streamed body ended early (the connection is then
 * closed).
 */
export async function writeAnswer(answer: Answer, context: AnswerContext): Promise<void> {
  const { request, response, requestId, isClosing } = context;
  const isUnread = !request.complete;
  response.statusCode = answer.status;
  for (const [name, value] of Object.entries(answer.headers)) response.setHeader(name, value);
  for (const [name, value] of Object.entries(ownFields)) response.setHeader(name, value);
  response.setHeader(requestIdHeader, requestId);
  if (isUnread || isClosing) response.setHeader('connection', 'close');
  const { buffers } = context;
  if (typeof answer.body !== 'string') return buffers.send(answer, context);
  response.setHeader('content-length', Buffer.byteLength(answer.body));
  if (!isUnread || request.method === 'HEAD') return buffers.send(answer, context);
  response.write(answer.body);
  await discardRest(request);
  await buffers.send({ ...answer, body: '' }, context);
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
