import { type AddressInfo, createServer, connect, type Server, type Socket } from 'node:net';
import { OutboundGuard } from '../outbound-guard';
import { answering, RawReceiver, TestAuthority } from '../testing';

const patienceMs = 120_000;
/** A ClientHello that fits into one packet. */
const helloBytesMax = 1_400;

type Box = (socket: Socket, hello: Buffer) => void;
const reset: Box = socket => socket.resetAndDestroy();
const end: Box = socket => void socket.end();
const drop: Box = () => undefined;
/** A fatal alert of TLS: handshake_failure. */
const alert: Box = socket => void socket.end(Buffer.from([21, 3, 3, 0, 2, 2, 40]));

describe('TLS handshakes through boxes that take a ClientHello of one packet only (T-13, A-81)', () => {
  let authority: TestAuthority;
  let receiver: RawReceiver;
  let box: Server;
  let onLongHello: Box;
  let onShortHello: Box;
  /** Bytes of each ClientHello. */
  let hellos: number[];
  let guard: OutboundGuard;
  const sockets = new Set<Socket>();

  beforeAll(async () => {
    authority = await TestAuthority.create();
    receiver = await RawReceiver.start(answering(200), await authority.issue({ dns: ['localhost'] }));
    box = createServer(socket => {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('data', (hello: Buffer) => {
        hellos.push(hello.length);
        (hello.length > helloBytesMax ? onLongHello : onShortHello)(socket, hello);
      });
    });
    await new Promise<void>(resolve => box.listen(0, '127.0.0.1', resolve));
  });
  beforeEach(() => {
    hellos = [];
    onLongHello = reset;
    onShortHello = forward;
    guard = new OutboundGuard({ environment: 'sandbox', allow: ['127.0.0.0/8', '::1/128'], caFile: authority.caFile });
  });
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    await Promise.all([new Promise(resolve => box.close(resolve)), receiver.stop()]);
    authority.remove();
  });

  const forward: Box = (socket, hello) => {
    const upstream = connect(receiver.port, '127.0.0.1', () => upstream.write(hello));
    upstream.on('error', () => socket.destroy()).pipe(socket);
    socket.pipe(upstream);
  };
  const dial = async (port = (box.address() as AddressInfo).port, connectTimeoutMs = patienceMs) => {
    const { socket } = await guard.dial({ protocol: 'https:', hostname: 'localhost', port }, { connectTimeoutMs });
    socket.destroy();
  };
  const sizes = () => hellos.map(bytes => (bytes > helloBytesMax ? 'long' : 'short'));

  it.each([
    ['resets', reset],
    ['ends', end],
    ['swallows', drop],
    ['answers by an alert', alert],
  ])(
    'regression: a box that %s a long ClientHello gets a short one, at the next connection at once',
    async (_name, behaviour) => {
      onLongHello = behaviour;
      await dial();
      expect(sizes()).toEqual(['long', 'short']);
      await dial();
      expect(sizes()).toEqual(['long', 'short', 'short']);
    },
  );

  it('regression: the second handshake has time within the budget to connect', async () => {
    onLongHello = drop;
    await dial(undefined, 20_000);
    expect(sizes()).toEqual(['long', 'short']);
  });

  it('a receiver that is only slow completes the first handshake, and is not remembered', async () => {
    let answer = () => undefined as void;
    onLongHello = (...connection) => (answer = () => forward(...connection));
    onShortHello = () => answer();
    await dial();
    expect(sizes()).toEqual(['long', 'short']);
    onLongHello = forward;
    await dial();
    expect(sizes()).toEqual(['long', 'short', 'long']);
  });

  it('a receiver that answers neither is tried twice, and not remembered', async () => {
    const deaf = await RawReceiver.start(socket => socket.resetAndDestroy());
    await expect(dial(deaf.port)).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(deaf.received.map(hello => hello.length > helloBytesMax)).toEqual([true, false]);
    await expect(dial(deaf.port)).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(deaf.connections).toBe(4);
    await deaf.stop();
  });

  it('post-quantum groups are offered first, and a receiver that answers is not tried again, whatever is wrong with it', async () => {
    const wrong = await RawReceiver.start(answering(200), await authority.issue({ dns: ['other.test'] }));
    await expect(dial(wrong.port)).rejects.toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
    expect(wrong.connections).toBe(1);
    await wrong.stop();
  });
});
