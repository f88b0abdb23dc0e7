/** What takes part in bench:deliver, behind one face. */
import { join, dirname } from 'node:path';
import type { BenchDatabase } from './bench-database.ts';
import type { CertificateFiles } from './bench-certificate.ts';
import { CalledProcess } from './child-calls.ts';
import { countDeviations, deviationsOf } from './exact-audit.ts';
import type { BenchMerchant, BenchSecrets } from './merchants.ts';
import type { PlatformUnderTest } from './platform-under-test.ts';
import type { Sent } from './publisher.main.ts';
import type { SinkOptions } from './sinks.ts';

/** A range of transaction ids. */
export interface Payments {
  firstId: number;
  count: number;
}

export interface Contender {
  name: string;
  /** The process whose CPU time is charged to the webhooks. */
  pid: number;
  /** Everything that works for it, and the load generator, by name. */
  processes: Record<string, number>;
  prepare(payments: Payments): Promise<void>;
  /** Sends what was prepared; resolves when it is durable. */
  send(perSecond: number): Promise<Sent>;
  /** Whether every payment has durably ended. */
  isDone(payments: Payments): Promise<boolean>;
  /** What is not exactly right, given the POSTs that arrived. */
  deviations(payments: Payments, received: Iterable<number>): Promise<string[]>;
  stop(): Promise<void>;
}

/** Bundles lie beside the one that runs. */
export const bundle = (name: string) => join(dirname(process.argv[1]!), `${name}.cjs`);

export interface Circumstances {
  database: BenchDatabase;
  secrets: BenchSecrets;
  certificate: CertificateFiles;
  merchants: BenchMerchant[];
}

/** Transaction ids of the payments. */
export function idsOf({ firstId, count }: Payments): Set<number> {
  return new Set(Array.from({ length: count }, (_, at) => firstId + at));
}

/** The load generator of one contender. */
export class Publisher {
  private readonly child: CalledProcess;

  constructor(private readonly merchants: readonly BenchMerchant[]) {
    this.child = new CalledProcess(bundle('publisher'));
  }

  get pid(): number {
    return this.child.pid;
  }

  open(options: Omit<SinkOptions, 'urls'>): Promise<void> {
    const urls = Object.fromEntries(this.merchants.map(({ merchantId, url }) => [merchantId, url]));
    return this.child.call('open', { ...options, urls } satisfies SinkOptions);
  }

  /** Merchants take turns. */
  prepare({ firstId, count }: Payments): Promise<void> {
    const merchantIds = Array.from({ length: count }, (_, at) => this.merchants[at % this.merchants.length]!.merchantId);
    return this.child.call('prepare', { firstId, merchantIds });
  }

  send(perSecond: number): Promise<Sent> {
    return this.child.call('send', { perSecond });
  }

  stop(): Promise<void> {
    return this.child.stop();
  }
}

/** The platform as it ships. */
export async function platformContender(
  name: string,
  platform: PlatformUnderTest,
  { merchants, secrets, brokers }: Circumstances & { brokers?: string },
): Promise<Contender> {
  const publisher = new Publisher(merchants);
  await publisher.open({ kind: 'events', databaseUrl: platform.eventsUrl, payloadKeys: secrets.payloadKeys, brokers });
  return {
    name,
    pid: platform.dispatcher.pid,
    processes: { dispatcher: platform.dispatcher.pid, scheduler: platform.scheduler.pid, generator: publisher.pid },
    prepare: payments => publisher.prepare(payments),
    send: perSecond => publisher.send(perSecond),
    isDone: async ({ firstId, count }) => (await platform.countOf('decision', firstId, firstId + count - 1)) >= count,
    deviations: async (payments, received) => {
      const last = payments.firstId + payments.count - 1;
      const [verdicts, decisions] = [
        await platform.verdicts(payments.firstId, last),
        await platform.decisions(payments.firstId, last),
      ];
      const expected = { verdict: 'ACKED_HTTP', decision: 'SETTLED' };
      return deviationsOf({ sent: idsOf(payments), received, verdicts, decisions }, expected);
    },
    stop: async () => {
      await publisher.stop();
      await platform.kill();
    },
  };
}

export type PeerName = 'graphile-worker' | 'pg-boss';

const unfinished: Record<PeerName, string> = {
  'graphile-worker': 'select exists (select from graphile_worker._private_jobs) as found',
  'pg-boss': "select exists (select from pgboss.job where state < 'completed') as found",
};

/** A job queue on PostgreSQL whose job posts the body; its worker is a process of its own. */
export async function peerContender(name: PeerName, around: Circumstances): Promise<Contender> {
  const database = name.replace('-', '_');
  const databaseUrl = await around.database.create(database);
  const worker = new CalledProcess(bundle(name), { env: { NODE_EXTRA_CA_CERTS: around.certificate.certFile } });
  const publisher = new Publisher(around.merchants);
  await publisher.open({ kind: name, databaseUrl, payloadKeys: around.secrets.payloadKeys });
  await worker.call('start', { databaseUrl });
  return {
    name,
    pid: worker.pid,
    processes: { worker: worker.pid, generator: publisher.pid },
    prepare: payments => publisher.prepare(payments),
    send: perSecond => publisher.send(perSecond),
    isDone: async () => !(await around.database.query<{ found: boolean }>(database, unfinished[name]))[0]!.found,
    deviations: async (payments, received) => countDeviations('POST', idsOf(payments), received),
    stop: async () => {
      await publisher.stop();
      await worker.stop();
    },
  };
}
