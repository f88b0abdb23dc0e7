import { GatewayUnderTest, statusesOf } from '../testing/gateway-under-test';

const head = (...lines: string[]) =>
  `${['POST /pluto/code/create HTTP/1.1', 'Host: localhost', 'Content-Type: application/json', ...lines].join('\r\n')}\r\n\r\n`;
/** A server that reads this text as a request answers it and closes the connection, so the test sees the answer at once. */
const hidden = 'GET /public/smuggled HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';
const chunked = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;

/** One parser reads each as one request, another parser as two requests or as a different one (RFC 9112 11.2). */
const ambiguous: [string, string][] = [
  ['two different Content-Length fields', head('Content-Length: 2', `Content-Length: ${2 + hidden.length}`) + `{}${hidden}`],
  ['two equal Content-Length fields', head('Content-Length: 2', 'Content-Length: 2') + `{}${hidden}`],
  ['a list of Content-Length values', head('Content-Length: 2, 2') + `{}${hidden}`],
  ['a signed Content-Length', head('Content-Length: +2') + `{}${hidden}`],
  ['Transfer-Encoding with Content-Length', head('Transfer-Encoding: chunked', 'Content-Length: 2') + chunked('{}') + hidden],
  ['Content-Length with Transfer-Encoding', head('Content-Length: 2', 'Transfer-Encoding: chunked') + chunked('{}') + hidden],
  ['a coding after chunked', head('Transfer-Encoding: chunked, identity') + chunked('{}') + hidden],
  ['two Transfer-Encoding fields', head('Transfer-Encoding: chunked', 'Transfer-Encoding: chunked') + chunked('{}') + hidden],
  ['chunks of chunks', head('Transfer-Encoding: chunked, chunked') + chunked('{}') + hidden],
  ['an unknown coding', head('Transfer-Encoding: xchunked') + chunked('{}') + hidden],
  ['a blank before the colon', head('Content-Length : 2') + `{}${hidden}`],
  ['a folded header field', head('X-A: 1', ' folded', 'Content-Length: 2') + `{}${hidden}`],
  ['a folded Transfer-Encoding', head('Transfer-Encoding:', ' chunked') + chunked('{}') + hidden],
  ['a bare CR in a field', head('X-A: a\rContent-Length: 2', 'Content-Length: 2') + `{}${hidden}`],
  ['a NUL in a field', head('X-A: a\0b', 'Content-Length: 2') + `{}${hidden}`],
  ['a chunk size beyond the chunk', `${head('Transfer-Encoding: chunked')}2;ext\nx\r\n{}\r\n0\r\n\r\n${hidden}`],
  ['a chunk size that is not hexadecimal', `${head('Transfer-Encoding: chunked')}0x2\r\n{}\r\n0\r\n\r\n${hidden}`],
  ['two Host fields', head('Host: evil.example', 'Content-Length: 2') + `{}${hidden}`],
  ['no Host field', 'POST /pluto/code/create HTTP/1.1\r\nContent-Length: 0\r\n\r\n'],
  ['an absolute target for another host', `GET http://evil.example/public/x HTTP/1.1\r\nHost: localhost\r\n\r\n${hidden}`],
  ['a target with a blank', 'GET /public/x /y HTTP/1.1\r\nHost: localhost\r\n\r\n'],
  ['a lower-case version', 'GET /public/x http/1.1\r\nHost: localhost\r\n\r\n'],
  ['HTTP/0.9', 'GET /public/x\r\n\r\n'],
];

describe('a request that two parsers could read differently', () => {
  const gateway = GatewayUnderTest.ofSpec();

  it.each(ambiguous)('%s: one 400, the connection ends, nothing reaches a service (T-26)', async (_name, bytes) => {
    const connection = await gateway.raw();
    connection.send(bytes);
    const raw = await connection.untilClosed();
    expect(statusesOf(raw)).toEqual([400]);
    expect(gateway.upstream.seen).toEqual([]);
    expect(gateway.auth.seen).toEqual([]);
  });

  it.each(['gzip, chunked', 'deflate, chunked', 'identity, chunked'])(
    'Transfer-Encoding: %s is one 501, the connection ends, nothing reaches a service (T-26, A-73)',
    async coding => {
      const connection = await gateway.raw();
      connection.send(head(`Transfer-Encoding: ${coding}`) + chunked('{}') + hidden);
      expect(statusesOf(await connection.untilClosed())).toEqual([501]);
      expect([gateway.upstream.seen, gateway.auth.seen]).toEqual([[], []]);
    },
  );

  it('the answer to an unreadable request forbids guessing its type (A-72)', async () => {
    const connection = await gateway.raw();
    connection.send(`${head('X-A: a\0b', 'Content-Length: 2')}{}`);
    expect(await connection.untilClosed()).toMatch(/^HTTP\/1\.1 400 [^]*^x-content-type-options: nosniff\r$/im);
  });

  it('a chunked body reaches the service as one body with a length', async () => {
    const connection = await gateway.raw();
    connection.send(
      `${head('Transfer-Encoding: chunked', 'Connection: close')}2\r\n{"\r\n5\r\na":1}\r\n0\r\nX-Trailer: 1\r\n\r\n`,
    );
    expect(statusesOf(await connection.untilClosed())).toEqual([200]);
    expect(gateway.upstream.last.body).toBe('{"a":1}');
    expect(gateway.upstream.last.headers).toMatchObject({ 'content-length': '7' });
    expect(JSON.stringify(gateway.upstream.last.rawHeaders)).not.toMatch(/transfer-encoding|trailer/i);
  });

  it('pipelined requests are two requests, answered in order', async () => {
    const connection = await gateway.raw();
    connection.send(
      `GET /public/one HTTP/1.1\r\nHost: localhost\r\n\r\nGET /public/two HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
    );
    expect(statusesOf(await connection.untilClosed())).toEqual([200, 200]);
    expect(gateway.upstream.seen.map(seen => seen.url)).toEqual(['/public/one', '/public/two']);
  });

  it('an upgrade request does not bypass the gateway', async () => {
    const connection = await gateway.raw();
    connection.send('GET /public/x HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n');
    expect(statusesOf(await connection.untilClosed())).toEqual([200]);
    expect(gateway.upstream.last.headers.upgrade).toBeUndefined();
  });
});
