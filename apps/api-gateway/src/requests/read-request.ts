import { Injectable } from '@nestjs/common';
import { requestIdHeader } from '@paycode/dto';
import { requestIdOf } from '@paycode/service-runtime';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { BodyTooLargeError, BodyTooSlowError, ClientGoneError, type ClientRequest } from '../forwarding/forward-request';
import { ClientAddresses } from '../listener/client-addresses';
import { OpenBodies } from './open-bodies';

/** Gives a request of the public listener the form that the use case reads. */
@Injectable()
export class RequestReader {
  constructor(
    private readonly addresses: ClientAddresses,
    private readonly openBodies: OpenBodies,
  ) {}

  read(raw: IncomingMessage, response: ServerResponse): ClientRequest {
    const { openBodies } = this;
    const address = this.addresses.clientOf(raw.socket, raw.rawHeaders);
    const gone = new AbortController();
    response.once('close', () => {
      if (!response.writableFinished) gone.abort(new ClientGoneError('the client closed the connection'));
    });
    const announcedBytes =
      raw.headers['transfer-encoding'] === undefined ? Number(raw.headers['content-length'] ?? 0) : undefined;
    return {
      id: requestIdOf(raw.headers[requestIdHeader]),
      version: raw.httpVersion,
      method: raw.method ?? '',
      target: raw.url ?? '',
      headers: raw.rawHeaders,
      announcedBytes,
      address,
      signal: gone.signal,
      readBody: bytesMax => {
        // Answers the client's `Expect: 100-continue` only here, so that the client never sends the body of a refused request.
        if (raw.headers.expect?.toLowerCase() === '100-continue') response.writeContinue();
        return readBody(raw, { bytesMax: announcedBytes ?? bytesMax, address, openBodies });
      },
    };
  }
}

interface BodyReading {
  /** Announced, or else allowed. */
  bytesMax: number;
  address: string;
  openBodies: OpenBodies;
}

function readBody(raw: IncomingMessage, { bytesMax, address, openBodies }: BodyReading): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const giveUp = (error: Error): void => {
      raw.pause();
      raw.removeAllListeners('data');
      openBodies.close(body);
      reject(error);
    };
    const onDropped = (): void => giveUp(new BodyTooSlowError('the body came too slowly'));
    const body = openBodies.open(address, { bytesMax, onDropped });
    const gone = (): void => giveUp(new ClientGoneError('the client closed the connection'));
    raw.on('data', (chunk: Buffer) => {
      if (body.receivedBytes + chunk.length > bytesMax) giveUp(new BodyTooLargeError('body is larger than allowed'));
      else openBodies.add(body, chunk);
    });
    raw.once('end', () => resolve(openBodies.close(body)));
    raw.once('error', gone);
    raw.once('close', gone);
  });
}
