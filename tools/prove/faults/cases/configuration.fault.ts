import { eventually } from '@paycode/service-runtime/testing';
import { hang } from '../environment/fault-receiver.ts';
import { patienceMs } from '../environment/fault-services.ts';
import { faultSuite } from '../environment/fault-platform.ts';

interface Notification {
  transactionId: number;
  status: string;
}

faultSuite(
  'configuration changes, notifications are fetched',
  { times: { dispatchWindow: 8_000, auditDelay: 10_000 } },
  suite => {
    const { faultCase } = suite;

    /** getNotification, `times` times at once, spread over the dispatchers. */
    const fetchNotification = (id: number, times: number) => {
      const path = `/pluto/purchase/notification/${id}`;
      const headers = suite.platform.identities.signer.headers({ service: 'webhook-dispatcher', method: 'GET', path });
      return Promise.all(
        Array.from({ length: times }, async (_, at) => {
          const { publicUrl } = suite.platform.services.dispatchers[at % 2]!;
          const answer = await fetch(publicUrl + path, { headers });
          return { status: answer.status, notification: (await answer.json()) as Notification };
        }),
      );
    };
    const statuses = (answers: { notification: Notification }[]) => [
      ...new Set(answers.map(answer => answer.notification.status)),
    ];
    const delivered = (id: number) =>
      eventually(async () => {
        const sql = 'select 1 from delivery where transaction_id = $1 and not stub';
        expect(await suite.platform.databases.dispatcher.query('dispatcher', sql, [id])).toHaveLength(1);
      }, patienceMs);

    faultCase(41, '50 getNotification at once during the POST - all equal, settled, whatever the webhook says then', async () => {
      const { id, receiver } = await suite.platform.postedTo(hang);
      const answers = await fetchNotification(id, 50);
      expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200));
      expect(statuses(answers)).toEqual(['SUCCESS']);
      expect(new Set(answers.map(answer => JSON.stringify(answer.notification))).size).toBe(1);
      receiver.posts[0]!.answer(500);
      await suite.platform.ends(id, 'SETTLED');
      expect(await suite.platform.verdict(id)).toBe('ACKED_PULL');
    });

    faultCase(41, '50 getNotification at once while it is closed - SUCCESS means settled, REVERSED means reversed', async () => {
      const { id, receiver } = await suite.platform.postedTo(hang);
      receiver.posts[0]!.answer(500);
      const said = statuses(await fetchNotification(id, 50));
      expect(said).toHaveLength(1);
      await suite.platform.ends(id, said[0] === 'SUCCESS' ? 'SETTLED' : 'REVERSED');
      expect(statuses(await fetchNotification(id, 4))).toEqual(said);
    });

    faultCase(42, 'renewKey between arm and POST - the body is under the new key', async () => {
      const { id, merchantId, receiver } = await suite.platform.heldAt('/arm', 'response');
      const former = await suite.platform.config.renewKey(merchantId);
      suite.platform.ways.toScheduler.heal();
      await suite.platform.ends(id, 'SETTLED');
      const { body } = receiver.posts[0]!;
      expect(suite.platform.config.open(merchantId, body, former)).toBeUndefined();
      expect(suite.platform.config.open(merchantId, body)).toMatchObject({ transactionId: id });
    });

    faultCase(42, 'addHttp between arm and POST - POSTed to the new URL', async () => {
      const other = await suite.platform.receiver();
      const { id, merchantId, receiver } = await suite.platform.heldAt('/arm', 'response');
      suite.platform.config.setUrl(merchantId, other.url);
      await suite.platform.config.renewKey(merchantId);
      suite.platform.ways.toScheduler.heal();
      await suite.platform.ends(id, 'SETTLED');
      expect([receiver.posts.length, other.posts.length]).toEqual([0, 1]);
    });

    faultCase(42, 'renewKey under traffic - what is paid after its answer is under the new key, all can be read', async () => {
      const { merchantId, receiver } = await suite.platform.merchant();
      const { config } = suite.platform;
      const keys: (string | undefined)[] = [];
      for (let renewal = 0; renewal < 3; renewal++) {
        const during = suite.platform.pay(merchantId, 100);
        keys.push(await config.renewKey(merchantId));
        const after = await suite.platform.pay(merchantId, 50);
        await suite.platform.exactAudit();
        for (const id of after)
          expect(config.open(merchantId, receiver.postsOf(id)[0]!.body)).toMatchObject({ transactionId: id });
        for (const id of await during) {
          const { body } = receiver.postsOf(id)[0]!;
          expect(config.open(merchantId, body, keys.at(-1)) ?? config.open(merchantId, body)).toMatchObject({
            transactionId: id,
          });
        }
      }
    });

    faultCase(43, 'the URL is removed between event and POST - settled without a POST', async () => {
      const { merchantId, receiver } = await suite.platform.merchant();
      const [before] = await suite.platform.pay(merchantId);
      await suite.platform.ends(before!, 'SETTLED');
      suite.platform.config.state = 'silent';
      const [id] = await suite.platform.pay(merchantId);
      await delivered(id!);
      suite.platform.config.setUrl(merchantId, null);
      suite.platform.config.state = 'up';
      await suite.platform.ends(id!, 'SETTLED');
      const verdict = await suite.platform.verdict(id!);
      // It was sent within the lease, before the removal was known, or it was not sent.
      expect([verdict, receiver.postsOf(id!).length]).toEqual(
        verdict === 'ACKED_HTTP' ? ['ACKED_HTTP', 1] : ['NOT_APPLICABLE', 0],
      );
    });

    faultCase(43, 'the merchant is deactivated between event and POST - delivered, reversed if not acknowledged', async () => {
      const { id, merchantId, receiver } = await suite.platform.heldAt('/arm', 'response', post => post.answer(500));
      suite.platform.config.suspend(merchantId);
      suite.platform.ways.toScheduler.heal();
      await suite.platform.ends(id, 'REVERSED');
      expect(receiver.posts).toHaveLength(1);
    });

    faultCase(44, 'the configuration is away for a while - delayed, then settled', async () => {
      const { merchantId, receiver } = await suite.platform.merchant();
      suite.platform.config.state = 'away';
      const [id] = await suite.platform.pay(merchantId);
      await delivered(id!);
      expect(receiver.posts).toHaveLength(0);
      suite.platform.config.state = 'up';
      await suite.platform.ends(id!, 'SETTLED');
      expect(receiver.posts).toHaveLength(1);
    });

    faultCase(44, 'the configuration is away beyond the dispatch window - closed and reversed, nothing posted', async () => {
      const { merchantId, receiver } = await suite.platform.merchant();
      suite.platform.config.state = 'silent';
      const [id] = await suite.platform.pay(merchantId);
      await suite.platform.ends(id!, 'REVERSED');
      expect(await suite.platform.verdict(id!)).toBe('CLOSED_BACKSTOP');
      suite.platform.config.state = 'up';
      expect(receiver.posts).toHaveLength(0);
    });
  },
);
