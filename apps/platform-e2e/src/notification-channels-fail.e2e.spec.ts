import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { eventually } from '@paycode/service-runtime/testing';
import { accepted, PlatformConnection } from '@paycode/platform-client';
import { makeMerchantWithReceiver, type MerchantWithReceiver, payNewCode } from './testing/platform';
import { PlatformProcess, temporaryFolder } from './testing/platform-process';

/** Mail server and SMSC take connections and never say a word: payments settle as if they were not there. */
describe('a platform whose mail server and SMSC hang', () => {
  let hanging: Server;
  let process: PlatformProcess;
  let platform: PlatformConnection;
  let shop: MerchantWithReceiver;
  const connections: Socket[] = [];

  beforeAll(async () => {
    hanging = createServer(socket => {
      connections.push(socket);
      socket.on('error', () => socket.destroy());
    });
    await new Promise<void>(resolve => hanging.listen(0, '127.0.0.1', resolve));
    const { port } = hanging.address() as AddressInfo;
    const home = temporaryFolder();
    const env = { SMTP_URL: `smtp://127.0.0.1:${port}`, SMS_URL: `smpp://127.0.0.1:${port}` };
    process = await new PlatformProcess({ home, env }).untilReady();
    platform = new PlatformConnection(home);
    shop = await makeMerchantWithReceiver(platform);
  });
  afterAll(async () => {
    await shop.receiver.stop();
    await process.stop();
    for (const socket of connections) socket.destroy();
    await new Promise(resolve => hanging.close(resolve));
  });

  it('settles every payment, and reverses the one that is not acknowledged (R-1-8, R-6.2-3)', async () => {
    const path = '/portal/restful/merchant/notification/extra';
    const { merchantId } = shop.merchant;
    for (const [type, value] of [
      ['EMAIL', 'owner@shop.example'],
      ['SMS', '27821234567'],
    ]) {
      const call = { method: 'POST', path, body: { merchantId, type, value }, as: platform.account('psp-1') };
      accepted('extra', await platform.gateway(call));
    }
    const paid = await Promise.all([1, 2, 3, 4, 5].map(amount => payNewCode(shop.merchant, amount)));
    for (const id of paid) {
      await eventually(async () => expect(await shop.merchant.reversal(id)).toMatchObject({ state: 'SETTLED' }));
    }
    await eventually(() => expect(connections.length).toBeGreaterThan(0));
    shop.receiver.answer = () => 500;
    const refused = await payNewCode(shop.merchant);
    await eventually(async () => expect(await shop.merchant.reversal(refused)).toMatchObject({ state: 'REVERSED' }));
  });
});
