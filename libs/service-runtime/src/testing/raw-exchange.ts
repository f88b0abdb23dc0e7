import { connect } from 'node:net';

export interface RawAnswer {
  status: number;
  /** Status line and header fields as they came. */
  head: string;
  body: string;
}

/** Sends bytes no HTTP client would send, and reads until the other side closes. */
export function rawExchange(port: number, request: string | Buffer): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect({ port, host: '127.0.0.1' }, () => socket.write(request));
    socket.on('data', chunk => chunks.push(chunk));
    socket.once('error', reject);
    socket.once('end', () => socket.end());
    socket.once('close', () => {
      const [head = '', ...body] = Buffer.concat(chunks).toString().split('\r\n\r\n');
      resolve({ status: Number(head.split(' ')[1]), head, body: body.join('\r\n\r\n') });
    });
  });
}

/** A request with its target exactly as given; the connection closes after the answer. */
export function rawRequest(port: number, method: string, target: string): Promise<RawAnswer> {
  const lines = [`${method} ${target} HTTP/1.1`, 'host: test', 'connection: close', 'content-length: 0'];
  return rawExchange(port, `${lines.join('\r\n')}\r\n\r\n`);
}
