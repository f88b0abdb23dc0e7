import { eventually } from '@paycode/service-runtime/testing';
import { nodeName } from './node-settings';
import { customers, part, type Shop, undisturbed } from './shop';

/** Planned work of an operator on a node or a service, while customers pay. */
export function describeReplacement(shop: Shop): void {
  whenReplaced(shop);
  whenScaled(shop);
  whenEvicted(shop);
  whenDrained(shop);
}

/** The gateway and the dispatcher with two replicas; of the others the evaluation has one, which stays until its successor is ready. */
function whenReplaced(shop: Shop): void {
  part(shop, 'every service is replaced under load, one after the other: no error, no reversal, no second POST', async () => {
    const { ground } = shop;
    ground.inPaycode('scale', '--replicas=2', 'deployment/webhook-dispatcher', 'deployment/api-gateway');
    for (const service of ['webhook-dispatcher', 'api-gateway']) ground.rolledOut(`deployment/${service}`);
    await undisturbed(shop, async payments => {
      for (const service of ground.services()) {
        const startedMs = performance.now();
        ground.inPaycode('rollout', 'restart', `deployment/${service}`);
        await ground.isRolledOut(service);
        await payments.more(customers);
        process.stdout.write(`       ${service} was replaced in ${((performance.now() - startedMs) / 1_000).toFixed(0)} s\n`);
      }
    });
  });
}

function whenScaled(shop: Shop): void {
  part(
    shop,
    'the dispatcher is scaled from 2 to 4 to 2 with POSTs in flight: no error, no reversal, no second POST',
    async () => {
      await undisturbed(shop, async payments => {
        shop.ground.inPaycode('scale', '--replicas=4', 'deployment/webhook-dispatcher');
        await shop.ground.isRolledOut('webhook-dispatcher');
        await payments.more(customers);
        shop.ground.inPaycode('scale', '--replicas=2', 'deployment/webhook-dispatcher');
        await eventually(async () => expect(await shop.ground.allPods('webhook-dispatcher')).toHaveLength(2), 240_000);
      });
    },
  );
}

function whenEvicted(shop: Shop): void {
  part(
    shop,
    'every dispatcher is evicted, one after the other as its budget allows: no error, no reversal, no second POST',
    async () => {
      shop.ground.applyBudget('webhook-dispatcher');
      await undisturbed(shop, async () => {
        for (const pod of await shop.ground.pods('webhook-dispatcher')) {
          await eventually(async () => expect(await shop.ground.evict(pod)).toBe(201), 240_000);
          await shop.ground.isRolledOut('webhook-dispatcher');
        }
      });
    },
  );
}

function whenDrained(shop: Shop): void {
  part(
    shop,
    'a drain leaves a dispatcher as long as no other can start, then ends: no error, no reversal, no second POST',
    async () => {
      const { ground } = shop;
      ground.applyBudget('webhook-dispatcher');
      await undisturbed(shop, async payments => {
        const words = ['--pod-selector=app.kubernetes.io/name=webhook-dispatcher', '--delete-emptydir-data', '--timeout=280s'];
        const drain = ground.plane.beside('kubectl', ['drain', nodeName, ...words]);
        // The successor of the first waits for a node that takes pods.
        const inPhase = async (phase: string) =>
          (await ground.pods('webhook-dispatcher')).filter(({ status }) => status.phase === phase);
        await eventually(async () => expect(await inPhase('Pending')).toHaveLength(1), 240_000);
        const [last] = await inPhase('Running');
        expect(await ground.evict(last!)).toBe(429);
        await payments.more(customers);
        ground.kubectl('uncordon', nodeName);
        expect(await drain).toMatchObject({ status: 0 });
        await ground.isRolledOut('webhook-dispatcher');
      });
    },
  );
}
