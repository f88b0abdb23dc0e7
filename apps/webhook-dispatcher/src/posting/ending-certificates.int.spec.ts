import { notificationOf } from '@paycode/dto/testing';
import { locksInOrder } from '@paycode/persistence/testing';
import { TestAuthority } from '@paycode/safe-http/testing';
import { dispatcherOf, DispatcherHarness } from '../testing/running-dispatcher';
import { WireReceiver } from '../testing/wire-receiver';
import { EndingCertificates } from './ending-certificates';

const dayMs = 86_400_000;

describe('certificates of receivers that end within two weeks', () => {
  let harness: DispatcherHarness;
  let authority: TestAuthority;
  beforeAll(async () => {
    [harness, authority] = await Promise.all([DispatcherHarness.open(), TestAuthority.create()]);
    await harness.start({ OUTBOUND_CA_FILE: authority.caFile });
  });
  afterAll(async () => {
    await harness.close();
    authority.remove();
  });

  const receiver = async (days: number, port?: number) => {
    const notAfter = new Date(Math.floor(Date.now() / 1_000) * 1_000 + days * dayMs);
    const tls = await authority.issue({ dns: ['localhost'], ips: ['127.0.0.1'], notAfter });
    return { endsAt: notAfter.toISOString(), at: await WireReceiver.start(tls, port === undefined ? {} : { port }) };
  };
  let transactionId = 0;
  const paid = async (merchantId: number) => {
    const id = ++transactionId;
    await harness.publish(harness.terminal(notificationOf(id, { merchantId })));
    expect(await harness.verdict(id)).toBe('ACKED_HTTP');
  };
  const listed = async () => {
    const service = harness.services[0]!;
    await service.app.get(EndingCertificates).pass(dispatcherOf(service).routes);
    const url = `http://127.0.0.1:${service.ports.internal}/internal/endpoints/certificates`;
    return (await fetch(url, { headers: harness.headersOf('portal') })).json();
  };

  it('are listed for each merchant of the server, and no more once the server shows a new one', async () => {
    const [old, good] = await Promise.all([receiver(13), receiver(15)]);
    for (const merchantId of [1, 2]) harness.route(merchantId, old.at.url);
    harness.route(3, good.at.url);
    for (const merchantId of [1, 2, 3]) await paid(merchantId);
    expect(await listed()).toEqual([1, 2].map(merchantId => ({ merchantId, endsAt: old.endsAt })));
    const port = Number(new URL(old.at.url).port);
    await old.at.stop();
    const renewed = await receiver(90, port);
    await paid(1);
    expect(await listed()).toEqual([]);
    await Promise.all([renewed.at.stop(), good.at.stop()]);
  });

  it('regression: replicas that saw the same servers in another order do not deadlock', async () => {
    const { endsAt, at } = await receiver(13);
    for (const merchantId of [5, 4]) {
      harness.route(merchantId, at.url);
      await paid(merchantId);
    }
    const write = (merchantId: number) => `insert into ending_certificate values (${merchantId}, '${endsAt}', now())`;
    await locksInOrder(harness.database, { first: write(4), second: write(5) }, listed);
    expect(await listed()).toEqual([4, 5].map(merchantId => ({ merchantId, endsAt })));
    await at.stop();
  });
});
