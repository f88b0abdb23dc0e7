import type { Socket } from 'node:net';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import type { AddressInfo } from 'node:net';
import { eventually } from '@paycode/service-runtime/testing';
import { answerBytesMax } from '../dial/read-limit';
import { OutboundGuard } from '../outbound-guard';
import {
  framingsAfterStatus,
  framingsBeforeStatus,
  framingsInHeader,
  type RawBehaviour,
  RawReceiver,
  TestAuthority,
} from '../testing';
import type { ProbeOutcome } from './probe-outcome';
import { UrlProber } from './url-prober';

// The limit on bytes ends each probe here, never the clock.
const limits = { totalMs: 240_000, connectMs: 120_000, bodyBytesMax: 1_024 };
/** A read of the kernel's may hold this much, and the last one may begin just below the limit. */
const lastReadMax = 65_536;

describe('the bytes that a receiver can make a probe read', () => {
  let authority: TestAuthority;

  beforeAll(async () => {
    authority = await TestAuthority.create();
  });
  afterAll(() => authority.remove());

  async function probe(url: string): Promise<{ outcome: ProbeOutcome; bytesRead: number }> {
    const guard = new OutboundGuard({ environment: 'sandbox', allow: ['127.0.0.0/8'], caFile: authority.caFile });
    const dial = jest.spyOn(guard, 'dial');
    const outcome = await new UrlProber(guard, 'paycode-test/1').probe(url, { result: 'TEST' }, limits);
    const dialled = await (dial.mock.results[0]!.value as ReturnType<OutboundGuard['dial']>);
    return { outcome, bytesRead: dialled.socket.bytesRead };
  }

  async function probePlain(behaviour: RawBehaviour) {
    const receiver = await RawReceiver.start(behaviour);
    try {
      return await probe(`http://127.0.0.1:${receiver.port}/hook`);
    } finally {
      await receiver.stop();
    }
  }

  it.each(framingsBeforeStatus)('%s is read for 64 KiB and accepted as nothing (T-12)', async (_name, behaviour) => {
    const { outcome, bytesRead } = await probePlain(behaviour);
    expect(outcome).toMatchObject({ isAccepted: false, status: null, reason: 'did not return 200' });
    expect(bytesRead).toBeLessThanOrEqual(answerBytesMax + lastReadMax);
  });

  it.each([...framingsAfterStatus, ...framingsInHeader])('%s is read for 64 KiB (T-12)', async (_name, behaviour) => {
    const { bytesRead } = await probePlain(behaviour);
    expect(bytesRead).toBeGreaterThan(0);
    expect(bytesRead).toBeLessThanOrEqual(answerBytesMax + lastReadMax);
  });

  it.each(framingsAfterStatus)('the 200 before %s counts (T-12, R-2.6-1)', async (_name, behaviour) => {
    expect((await probePlain(behaviour)).outcome).toMatchObject({ isAccepted: true, status: 200 });
  });

  it('the detail says that the answer was too large (T-12)', async () => {
    const { outcome } = await probePlain(framingsBeforeStatus[2]![1]);
    expect(outcome.detail).toBe('ANSWER_TOO_LARGE');
  });

  it('TLS session tickets without end, which carry no data, end the connection (T-12)', async () => {
    const server: Server = createServer(await authority.issue({ ips: ['127.0.0.1'] }));
    const sockets: Socket[] = [];
    server.on('secureConnection', (socket: TLSSocket) => {
      sockets.push(socket);
      socket.on('error', () => socket.destroy());
    });
    server.on('connection', socket => sockets.push(socket));
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const guard = new OutboundGuard({ environment: 'sandbox', allow: ['127.0.0.0/8'], caFile: authority.caFile });
    const { port } = server.address() as AddressInfo;
    const prober = new UrlProber(guard, 'paycode-test/1');
    const dial = jest.spyOn(guard, 'dial');
    const probing = prober.probe(`https://127.0.0.1:${port}/hook`, { result: 'TEST' }, limits);
    await eventually(() => expect(dial).toHaveBeenCalled());
    const { socket } = await (dial.mock.results[0]!.value as ReturnType<OutboundGuard['dial']>);
    for (let ticket = 0; ticket < 20; ticket++) socket.emit('session', Buffer.alloc(32));
    expect(await probing).toMatchObject({ isAccepted: false, status: null, detail: 'ANSWER_TOO_LARGE' });
    for (const each of sockets) each.destroy();
    await new Promise(resolve => server.close(resolve));
  });
});
