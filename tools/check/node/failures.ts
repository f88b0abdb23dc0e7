import { eventually } from '@paycode/service-runtime/testing';
import { clusterAudit } from './cluster-audit';
import type { Pod } from './evaluation-ground';
import { PaymentsUnderWay } from './payments-under-way';
import { customers, part, type Shop, undisturbed } from './shop';

/** Unplanned failures of a node, while customers pay. */
export function describeFailures(shop: Shop): void {
  whenKilled(shop);
  whenDaemonsRestart(shop);
  whenTheNodeCrashes(shop);
  whenAudited(shop);
}

function whenKilled(shop: Shop): void {
  part(shop, 'a dispatcher whose process is killed with a POST in flight: the payment still settles', async () => {
    const payments = new PaymentsUnderWay({ ...shop, customers });
    await payments.more(customers);
    for (const pod of await shop.ground.pods('webhook-dispatcher')) shop.ground.node.killContainer(containerOf(pod));
    await eventually(async () => {
      const restarts = (await shop.ground.pods('webhook-dispatcher')).map(
        ({ status }) => status.containerStatuses?.[0]?.restartCount ?? 0,
      );
      expect(restarts.filter(count => count > 0)).toHaveLength(2);
    });
    const { errors, paid, ends } = await payments.end();
    expect({ errors, ends }).toEqual({ errors: [], ends: { SETTLED: paid } });
  });
}

/** A kubelet of 1.34 that starts calls every pod unready until its probes have passed again: for seconds no Service has an address. */
function whenDaemonsRestart(shop: Shop): void {
  part(
    shop,
    'kubelet and containerd are restarted: pods go on, no reversal, no second POST, and callers are served again',
    async () => {
      const { ground } = shop;
      const before = await ground.containers();
      const payments = new PaymentsUnderWay({ ...shop, customers, isErrorExpected: true });
      await payments.more(customers);
      const startedMs = Date.now();
      await ground.node.restartDaemons();
      await eventually(async () => expect(await ground.isNodeReady(startedMs)).toBe(true));
      await payments.moreWithoutError(10 * customers);
      const { errors, paid, ends, posts } = await payments.end();
      process.stdout.write(`restarted daemons: ${errors.length} calls failed beside ${paid} payments\n`);
      expect({ ends, posts }).toEqual({ ends: { SETTLED: paid }, posts: { 1: paid } });
      expect(await ground.containers()).toEqual(before);
    },
  );
}

function whenTheNodeCrashes(shop: Shop): void {
  part(
    shop,
    'the whole node crashes, PostgreSQL too, and comes back: no payment is lost, and what was settled stays settled',
    async () => {
      const { ground } = shop;
      const before = await containersOf(shop);
      const payments = new PaymentsUnderWay({ ...shop, customers });
      await payments.more(customers);
      const settled = await someSettled(payments);
      const crashedMs = Date.now();
      await ground.node.crash();
      await eventually(async () => {
        expect(await ground.isNodeReady(crashedMs)).toBe(true);
        const after = await containersOf(shop);
        expect({ alive: after.length, old: after.filter(id => before.includes(id)) }).toEqual({ alive: before.length, old: [] });
      }, 600_000);
      const { paid, ends } = await payments.end();
      const { SETTLED = 0, REVERSED = 0 } = ends;
      process.stdout.write(
        `of ${paid} payments around the crash ${SETTLED} settled (${settled.length} before it), ${REVERSED} reversed\n`,
      );
      expect(SETTLED + REVERSED).toBe(paid);
      expect(await payments.settled()).toEqual(expect.arrayContaining(settled));
      await undisturbed(shop, later => later.more(customers));
    },
  );
}

function whenAudited(shop: Shop): void {
  part(shop, 'npm run audit finds no violation in all of it', () => {
    const report = clusterAudit(shop.ground);
    expect(report).toMatchObject({ open: 0, violationCount: 0, violations: [] });
    expect(report.transactions).toBeGreaterThan(customers);
  });
}

function someSettled(payments: PaymentsUnderWay): Promise<number[]> {
  return eventually(async () => {
    const settled = await payments.settled();
    expect(settled.length).toBeGreaterThanOrEqual(customers);
    return settled;
  });
}

/** Of all pods whose containers are ready. */
async function containersOf({ ground }: Shop): Promise<string[]> {
  const pods = (await ground.allPods()).filter(({ status }) => status.containerStatuses?.[0]?.ready);
  return pods.map(containerOf);
}

function containerOf({ status }: Pod): string {
  return status.containerStatuses![0]!.containerID!.replace('containerd://', '');
}
