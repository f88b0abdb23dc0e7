import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { GatewayUnderTest, RawConnection, statusesOf } from '../testing/gateway-under-test';

const request = 'GET /pluto/code/create HTTP/1.1\r\nHost: localhost\r\n\r\n';
const v1 = (source: string, family = 'TCP4') =>
  Buffer.from(`PROXY ${family} ${source} ${family === 'TCP4' ? '192.0.2.1' : '2001:db8::9'} 4000 443\r\n`);
const v2 = (source: number[]) =>
  Buffer.concat([
    Buffer.from('0d0a0d0a000d0a515549540a2111000c', 'hex'),
    Buffer.from([...source, 192, 0, 2, 1, 15, 160, 1, 187]),
  ]);

describe('clients behind a proxy that passes TLS through', () => {
  const gateway = GatewayUnderTest.ofSpec(
    { PROXY_PROTOCOL_FROM: '127.0.0.1', LISTEN_HOST: '127.0.0.1' },
    { addressConnectionsMax: 3 },
  );
  const opened: Socket[] = [];
  afterEach(() => opened.splice(0).forEach(socket => socket.destroy()));

  async function relay(localAddress = '127.0.0.1'): Promise<Socket> {
    const socket = connect({ port: gateway.port, host: '127.0.0.1', localAddress });
    opened.push(socket);
    await once(socket, 'connect');
    return socket;
  }

  const startTls = (socket: Socket) =>
    connectTls({ socket, servername: 'localhost', ca: gateway.certificate.cert, ALPNProtocols: ['http/1.1'] });

  /** TLS and one request over a connection on which the header has been sent. */
  async function ask(socket: Socket): Promise<number[]> {
    const tls = startTls(socket);
    await once(tls, 'secureConnect');
    tls.write(request);
    const [answer] = (await once(tls, 'data')) as [Buffer];
    tls.destroy();
    await once(socket, 'close');
    return statusesOf(answer.toString());
  }

  const addresses = () => gateway.asked.map(asked => asked.address);

  it.each([
    ['version 1', v1('198.51.100.7'), '198.51.100.7'],
    ['version 1 over IPv6', v1('2001:db8::7', 'TCP6'), '2001:db8::7'],
    ['version 2', v2([198, 51, 100, 8]), '198.51.100.8'],
    ['one that names nobody', Buffer.from('PROXY UNKNOWN\r\n'), '127.0.0.1'],
  ])('%s names the client that auth-session is asked about (T-30)', async (_name, header, address) => {
    const socket = await relay();
    socket.write(header);
    expect(await ask(socket)).toEqual([200]);
    expect(addresses()).toEqual([address]);
  });

  it('a header that arrives byte by byte is still read (T-30)', async () => {
    const socket = await relay();
    socket.setNoDelay(true);
    for (const byte of v2([198, 51, 100, 9])) await new Promise(resolve => socket.write(Buffer.from([byte]), resolve));
    expect(await ask(socket)).toEqual([200]);
    expect(addresses()).toEqual(['198.51.100.9']);
  });

  it('TLS in the same packet as the header belongs to the client (T-30)', async () => {
    const socket = await relay();
    socket.cork();
    socket.write(v1('198.51.100.10'));
    const answered = ask(socket);
    setImmediate(() => socket.uncork());
    expect(await answered).toEqual([200]);
    expect(addresses()).toEqual(['198.51.100.10']);
  });

  it('the connection of a named peer without a valid header is closed (T-30)', async () => {
    for (const first of [Buffer.from('PROXY TCP4 a b 1 2\r\n'), Buffer.from(request)]) {
      const socket = await relay();
      const answers: Buffer[] = [];
      socket.on('data', answer => answers.push(answer)).on('error', () => socket.destroy());
      socket.write(first);
      await once(socket, 'close');
      expect(answers).toEqual([]);
    }
    const tls = startTls(await relay());
    const isServed = await new Promise(resolve => {
      tls.once('secureConnect', () => resolve(true)).once('error', () => resolve(false));
    });
    tls.destroy();
    expect([isServed, gateway.asked]).toEqual([false, []]);
  });

  it('a header from any other peer is not TLS, so it is answered 400 (T-30, R-1-9)', async () => {
    const socket = await relay('127.0.0.2');
    socket.write(v1('198.51.100.7'));
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(statusesOf(answer.toString())).toEqual([400]);
  });

  it('other peers need no header (T-30)', async () => {
    expect(await ask(await relay('127.0.0.2'))).toEqual([200]);
    expect(addresses()).toEqual(['127.0.0.2']);
  });

  it('plain HTTP behind a header is refused (T-30, R-1-9)', async () => {
    const socket = await relay();
    socket.write(Buffer.concat([v1('198.51.100.7'), Buffer.from(request)]));
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(statusesOf(answer.toString())).toEqual([400]);
    expect(gateway.asked).toEqual([]);
  });

  it('connections are counted by client, not by proxy, and all of one /64 as one client (T-30)', async () => {
    const open = async (header: Buffer) => {
      const socket = await relay();
      socket.on('error', () => socket.destroy());
      socket.write(header);
      return socket;
    };
    const kept = await Promise.all([1, 2, 3].map(n => open(v1(`2001:db8:0:1::${n}`, 'TCP6'))));
    const asked = kept.map(
      socket =>
        new Promise<void>(resolve => connectTls({ socket, servername: 'localhost', ca: gateway.certificate.cert }, resolve)),
    );
    await Promise.all(asked);
    const surplus = await open(v1('2001:db8:0:1:ffff::4', 'TCP6'));
    // The gateway closes the connection before the TLS handshake; the client's silence is not the cause.
    const isServed = await new Promise<boolean>(resolve => {
      const tls = connectTls({ socket: surplus, servername: 'localhost', ca: gateway.certificate.cert }, () => resolve(true));
      tls.on('error', () => resolve(false)).on('close', () => resolve(false));
    });
    expect(isServed).toBe(false);
    expect(await ask(await open(v1('2001:db8:0:2::1', 'TCP6')))).toEqual([200]);
    expect(await ask(await open(v1('198.51.100.7')))).toEqual([200]);
  });
});

describe('without named relays', () => {
  it('a header of the PROXY protocol from anybody is refused as plain HTTP (T-30)', async () => {
    const gateway = await GatewayUnderTest.start();
    try {
      const connection = await RawConnection.tcp(gateway.port);
      connection.send(v1('198.51.100.7').toString());
      expect(statusesOf(await connection.untilClosed())).toEqual([400]);
      expect(gateway.asked).toEqual([]);
    } finally {
      await gateway.stop();
    }
  });
});
