import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startTestIdentityIssuer, type TestIdentityIssuer } from '@paycode/access/testing';
import type { Decision, VerdictKind } from '@paycode/dto';
import type { EventToPublish } from '@paycode/events';
import { eventually } from '@paycode/service-runtime/testing';
import { audit, type AuditReport } from '../../../../apps/operations/src/audit/audit.ts';
import { DatabaseServer } from './database-server.ts';
import { EventLogServer, terminalOf } from './event-log-server.ts';
import { type Behaviour, FaultReceiver, type ReceiverOptions } from './fault-receiver.ts';
import {
  type FaultDatabases,
  type FaultPlatformOptions,
  FaultServices,
  type FaultWays,
  type FaultWorld,
  patienceMs,
  times,
} from './fault-services.ts';
import { CallProxy, TcpProxy } from './proxies.ts';
import { ConfigStandIn, makeSecrets } from './stand-ins.ts';

const graceS = 0;
/** The acknowledgement window that the audit's rules assume, in milliseconds. */
const realAckWindowMs = 45_000;

/**
 * Two dispatchers, two schedulers and the simulator as processes, with real databases, and proxies on all connections between
 * them.
 */
export class FaultPlatform implements FaultWorld {
  readonly folder = mkdtempSync(join(tmpdir(), 'paycode-faults-'));
  readonly receivers: FaultReceiver[] = [];
  readonly secrets = makeSecrets(this.folder);

  databases!: FaultDatabases;
  events!: EventLogServer;
  config!: ConfigStandIn;
  identities!: TestIdentityIssuer;
  services!: FaultServices;
  ways!: FaultWays;

  private constructor(readonly options: FaultPlatformOptions) {}

  static async start(options: FaultPlatformOptions = {}): Promise<FaultPlatform> {
    const platform = new FaultPlatform(options);
    await platform.open();
    return platform;
  }

  private async open(): Promise<void> {
    chmodSync(this.folder, 0o755);
    this.databases = await openDatabases(this.folder, this.options.dataFolders);
    this.events = await EventLogServer.start(
      this.options.events,
      this.options.dataFolders?.kafka ?? join(this.folder, 'kafka'),
      this.databases.others,
    );
    this.config = await ConfigStandIn.start(this.secrets.keyEncryptionKeys);
    this.identities = await startTestIdentityIssuer();
    this.ways = await this.openWays();
    this.services = new FaultServices(this);
    await this.services.start().catch(async (error: unknown) => {
      await this.close();
      throw error;
    });
  }

  private async openWays(): Promise<FaultWays> {
    const { dispatchers = 2 } = this.options;
    const { dispatcher, scheduler } = this.databases;
    const proxies = (count: number, port: number) =>
      Promise.all(Array.from({ length: count }, () => TcpProxy.open({ host: '127.0.0.1', port })));
    return {
      dispatcherDatabase: await proxies(dispatchers, dispatcher.port),
      dispatcherEvents: this.events.proxyPort ? await proxies(dispatchers, this.events.proxyPort) : [],
      schedulerDatabase: await proxies(2, scheduler.port),
      toScheduler: await CallProxy.open(() => this.services.serving('reversal-scheduler')),
      toDispatcher: await CallProxy.open(() => this.services.serving('webhook-dispatcher')),
    };
  }

  /** Restarts all processes and ends all disturbances. */
  async heal(): Promise<void> {
    for (const proxy of this.proxies) proxy.heal();
    this.ways.toScheduler.heal();
    this.ways.toDispatcher.heal();
    this.config.state = 'up';
    for (const server of Object.values(this.databases)) await server.restart();
    await this.events.comeBack();
    for (const service of this.services.all) service.resume();
    await this.services.start();
  }

  private get proxies(): TcpProxy[] {
    return [...this.ways.dispatcherDatabase, ...this.ways.dispatcherEvents, ...this.ways.schedulerDatabase];
  }

  async close(): Promise<void> {
    await Promise.all(this.services.all.map(service => service.kill()));
    await Promise.all(this.proxies.map(proxy => proxy.close()));
    await Promise.all([
      this.ways.toScheduler.close(),
      this.ways.toDispatcher.close(),
      this.config.stop(),
      this.identities.stop(),
    ]);
    await Promise.all(this.receivers.map(receiver => receiver.stop()));
    await this.events.close();
    await Promise.all(Object.values(this.databases).map(server => server.stop()));
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** A merchant with a receiver of its own. */
  async merchant(behaviour?: Behaviour): Promise<{ merchantId: number; receiver: FaultReceiver }> {
    const receiver = await this.receiver();
    if (behaviour) receiver.behaviour = behaviour;
    return { merchantId: this.config.addMerchant(receiver.url), receiver };
  }

  async receiver(options?: ReceiverOptions): Promise<FaultReceiver> {
    const receiver = await FaultReceiver.start(options);
    this.receivers.push(receiver);
    return receiver;
  }

  /** A payment to a new merchant whose receiver behaves so. */
  async paidTo(behaviour?: Behaviour) {
    const { merchantId, receiver } = await this.merchant(behaviour);
    const [id] = await this.pay(merchantId);
    return { id: id!, merchantId, receiver };
  }

  /** The same, when its POST is there. */
  async postedTo(behaviour?: Behaviour) {
    const paid = await this.paidTo(behaviour);
    await eventually(() => expect(paid.receiver.postsOf(paid.id)).toHaveLength(1), patienceMs);
    return paid;
  }

  /** The same, when the call of its dispatcher to the schedulers is held; `ways.toScheduler.heal()` lets it go. */
  async heldAt(path: string, when: 'request' | 'response', behaviour?: Behaviour) {
    const { merchantId, receiver } = await this.merchant(behaviour);
    const held = this.ways.toScheduler.hold(path, when);
    const [id] = await this.pay(merchantId);
    await held.reached;
    return { id: id!, merchantId, receiver };
  }

  /** Sum over the replicas. */
  async metric(of: 'dispatchers' | 'schedulers', name: string): Promise<number> {
    const values = await Promise.all(this.services[of].map(each => each.metric(name)));
    return values.reduce((sum, value) => sum + value);
  }

  /** A payment to a new merchant with this webhook. */
  async paidAt(url: string): Promise<number> {
    const [id] = await this.pay(this.config.addMerchant(url));
    return id!;
  }

  /** Completes payments at the simulator; gives their ids. */
  pay(merchantId: number, count = 1, extra: object = {}): Promise<number[]> {
    return this.payEach(Array<number>(count).fill(merchantId), extra);
  }

  /** One payment to each of these merchants. */
  async payEach(merchantIds: readonly number[], extra: object = {}): Promise<number[]> {
    const payment = { amount: 10, currencyCode: 'ZAR', txState: 'SUCCESS' };
    const items = merchantIds.map(merchantId => ({ merchantId, ...payment, ...extra }));
    const answer = await this.operator(`${this.services.simulator.internalUrl}/internal/transactions`, items);
    return (answer as { transactionId: number }[]).map(({ transactionId }) => transactionId);
  }

  /** The event that completed the payment, to be published again. */
  terminalOf(transactionId: number): Promise<EventToPublish> {
    return terminalOf(this.databases.others, transactionId);
  }

  async operator(url: string, body?: unknown, method = body ? 'POST' : 'GET'): Promise<unknown> {
    const headers = {
      authorization: `Bearer ${this.secrets.tokenKeys.operatorToken()}`,
      'content-type': 'application/json',
    };
    const answer = await fetch(url, { method, headers, body: body ? JSON.stringify(body) : undefined });
    if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`);
    return answer.json();
  }

  async verdict(transactionId: number): Promise<VerdictKind | undefined> {
    const sql = 'select kind from verdict where transaction_id = $1';
    return (await this.databases.dispatcher.query<{ kind: VerdictKind }>('dispatcher', sql, [transactionId]))[0]?.kind;
  }

  async decision(transactionId: number): Promise<Decision | undefined> {
    const sql = 'select kind from decision where transaction_id = $1';
    return (await this.databases.scheduler.query<{ kind: Decision }>('scheduler', sql, [transactionId]))[0]?.kind;
  }

  /** Waits for the end of the payment, at the payment core too. */
  async ends(transactionId: number, decision: Decision, withinMs = patienceMs): Promise<void> {
    await eventually(async () => expect(await this.decision(transactionId)).toBe(decision), withinMs);
    const sql = 'select tx_state from transaction where transaction_id = $1';
    const wanted = decision === 'REVERSED' ? 'END_REVERSED' : 'SUCCESS';
    await eventually(async () => {
      const [row] = await this.databases.others.query<{ tx_state: string }>('simulator', sql, [transactionId]);
      expect(row?.tx_state).toBe(wanted);
    }, withinMs);
  }

  /** Times the payment was reversed at the payment core. */
  async reversals(transactionId: number): Promise<number> {
    const sql = `select count(*)::int as n from transaction where reference_transaction_id = $1 and kind = 'REVERSAL'`;
    return (await this.databases.others.query<{ n: number }>('simulator', sql, [transactionId]))[0]!.n;
  }

  /** Runs the exact audit over everything so far, when nothing is in progress any more; it must find nothing. */
  async exactAudit(): Promise<AuditReport> {
    const report = await this.auditAtRest();
    const { open, violationCount, violations } = report;
    expect({ open, violationCount, violations: violations.slice(0, 5) }).toEqual({ open: 0, violationCount: 0, violations: [] });
    return report;
  }

  /**
   * Repeats the audit until it finds nothing. It reads the receivers' logs first, so a payment that ends during the audit would
   * appear unacknowledged; the last run counts.
   */
  async auditAtRest(withinMs = patienceMs): Promise<AuditReport> {
    const giveUpAt = performance.now() + withinMs;
    for (;;) {
      const report = await this.auditNow();
      const isUnderWay = report.open > 0 || report.violations.some(({ rule }) => rule === 'P-I7');
      if (!isUnderWay) return this.auditNow();
      if (performance.now() > giveUpAt) return report;
      await pause(100);
    }
  }

  /** Runs the audit at once. */
  auditNow(): Promise<AuditReport> {
    const receiverLog = join(this.folder, 'receivers.jsonl');
    const { ackWindow } = { ...times, ...this.options.times };
    // The audit's rules use the real window, so the receivers' times are scaled to it.
    FaultReceiver.writeLogs(receiverLog, this.receivers, realAckWindowMs / ackWindow);
    return audit({
      dispatcherUrls: [this.databases.dispatcher.urlOf('dispatcher')],
      schedulerUrls: [this.databases.scheduler.urlOf('scheduler')],
      simulatorUrl: this.databases.others.urlOf('simulator'),
      receiverLog,
      graceS,
      days: 30,
      attemptsMax: 2,
      isJson: false,
    });
  }
}

/** The three database servers, each in a folder of its own. */
async function openDatabases(folder: string, folders: FaultPlatformOptions['dataFolders'] = {}): Promise<FaultDatabases> {
  const [dispatcher, scheduler, others] = await Promise.all([
    DatabaseServer.start(folders.dispatcher ?? join(folder, 'dispatcher'), ['dispatcher']),
    DatabaseServer.start(folders.scheduler ?? join(folder, 'scheduler'), ['scheduler']),
    DatabaseServer.start(folders.others ?? join(folder, 'others'), ['simulator', 'events', 'configuration']),
  ]);
  return { dispatcher, scheduler, others };
}

/** Longest a case may take. */
const caseMs = 3 * patienceMs;

export interface FaultSuite {
  platform: FaultPlatform;
  /** One case, by its number in the protocol's table. Afterwards everything is healed, and the exact audit covers all payments so far. */
  faultCase(number: number, what: string, play: () => Promise<void>): void;
  /** The same for a case with requirements on the machine: with an obstacle it prints the reason and counts as skipped. */
  faultCaseUnless(obstacle: string | undefined, ...fault: Parameters<FaultSuite['faultCase']>): void;
}

interface FaultSuiteOptions extends FaultPlatformOptions {
  /** Missing requirement of these cases: nothing is started then, and each case prints why it does not run. */
  obstacle?: string;
}

/** Cases that share one platform, started once. `suite.platform` is there while cases run. */
export function faultSuite(
  title: string,
  { obstacle, ...options }: FaultSuiteOptions,
  define: (suite: FaultSuite) => void,
): void {
  (obstacle ? describe.skip : describe)(title, () => {
    const suite: FaultSuite = {
      platform: undefined as unknown as FaultPlatform,
      faultCase: (...fault) => suite.faultCaseUnless(obstacle, ...fault),
      faultCaseUnless: (hindrance, ...fault) => {
        const [number, what, play] = fault;
        const notRun = hindrance ? ` (not run: ${hindrance})` : '';
        (hindrance ? it.skip : it)(`case ${number}: ${what}${notRun}`, play, caseMs);
      },
    };
    beforeAll(async () => {
      suite.platform = await FaultPlatform.start(options);
    }, 2 * patienceMs);
    afterEach(async () => {
      await suite.platform.heal();
      await suite.platform.exactAudit();
    }, 2 * patienceMs);
    afterAll(() => suite.platform?.close(), patienceMs);
    define(suite);
  });
}
