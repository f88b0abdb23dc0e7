import type { IncomingMessage, ServerResponse } from 'node:http';
import { requestIdHeader } from '@paycode/dto';
import { requestIdOf } from '@paycode/service-runtime';
import { BodyTooLargeError, ClientGoneError, type ClientRequest } from '../client-request';
import type { ClientAddresses } from './client-addresses';

/** A request of the public listener in the form the use case reads. */
export function clientRequestOf(raw: IncomingMessage, response: ServerResponse, addresses: ClientAddresses): ClientRequest {
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort(new ClientGoneError('the client closed the connection'));
  });
  return {
    id: requestIdOf(raw.headers[requestIdHeader]),
    version: raw.httpVersion,
    method: raw.method ?? '',
    target: raw.url ?? '',
    headers: raw.rawHeaders,
    announcedBytes: raw.headers['transfer-encoding'] === undefined ? Number(raw.headers['content-length'] ?? 0) : undefined,
    address: addresses.clientOf(raw.socket, raw.rawHeaders),
    signal: gone.signal,
    readBody: bytesMax => {
      // Answers the client's `Expect: 100-continue` only here, so that the client never sends the body of a refused
      // request.
      if (raw.headers.expect?.toLowerCase() === '100-continue') response.writeContinue();
      return readBody(raw, bytesMax);
    },
  };
}

function readBody(raw: IncomingMessage, bytesMax: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const gone = (): void => reject(new ClientGoneError('the client closed the connection'));
    raw.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= bytesMax) return void chunks.push(chunk);
      raw.pause();
      raw.removeAllListeners('data');
      reject(new BodyTooLargeError('body is larger than allowed'));
    });
    raw.once('end', () => resolve(Buffer.concat(chunks, bytes)));
    raw.once('error', gone);
    raw.once('close', gone);
  });
}
