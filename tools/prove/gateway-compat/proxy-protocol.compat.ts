import { connect, type ConnectionOptions } from 'node:tls';
import { type Account, ContractPlatform, type Front, FrontClient, startHaproxy } from './fronts';

const path = '/pluto/code/0000000000';

describe.each([1, 2] as const)('HAProxy in front of api-gateway, PROXY protocol version %d', version => {
  let platform!: ContractPlatform;
  let front: (Front & { gateway: Front }) | undefined;
  let account: Account;
  beforeAll(async () => {
    platform = await ContractPlatform.start();
    front = await startHaproxy(platform, version);
    account = await platform.createAccount({ type: 'PSP', id: 1 });
    await platform.bindToSources(account, ['127.0.0.77/32']);
  }, 240_000);
  afterAll(async () => {
    await front?.process.stop();
    await front?.gateway.process.stop();
    await platform?.stop();
  });

  const askFrom = (localAddress: string) => {
    const headers = ['Authorization', `Basic ${btoa(`${account.username}:${account.apiPassword}`)}`];
    return new FrontClient(front!.port, platform.certificate.cert).send({ path, headers, localAddress });
  };

  it('an account that is bound to an address is accepted from there and from nowhere else (T-30, T-15)', async () => {
    expect((await askFrom('127.0.0.77')).status).toBe(200);
    expect((await askFrom('127.0.0.78')).status).toBe(401);
  });

  it('connections are limited per client, not for all clients of the proxy together (T-30)', async () => {
    const open = async (localAddress: string) => {
      const to = { port: front!.port, host: '127.0.0.1', localAddress, servername: 'localhost', ca: platform.certificate.cert };
      const socket = connect(to as ConnectionOptions);
      socket.on('error', () => socket.destroy());
      await new Promise(resolve => socket.once('secureConnect', resolve).once('close', resolve));
      return socket;
    };
    const kept = [await open('127.0.0.79'), await open('127.0.0.79')];
    const surplus = await open('127.0.0.79');
    expect([...kept, surplus].map(socket => socket.authorized)).toEqual([true, true, false]);
    expect((await askFrom('127.0.0.77')).status).toBe(200);
    for (const socket of [...kept, surplus]) socket.destroy();
  });

  it('a connection from the proxy’s host without a header is closed before TLS (T-30)', async () => {
    const direct = connect({
      port: front!.gateway.port,
      host: '127.0.0.1',
      servername: 'localhost',
      ca: platform.certificate.cert,
    });
    direct.on('error', () => direct.destroy());
    await new Promise(resolve => direct.once('close', resolve));
    expect(direct.authorized).toBe(false);
  });
});
