/** Payments that a payment core completes by calls to payment-simulator, beside the dispatcher and the scheduler. */
import { freePort } from '@paycode/persistence/embedded';
import { CalledStack } from './called-stack.ts';
import type { CalledProcess } from './child-processes.ts';
import type { Circumstances } from './contender.ts';
import type { CoreOptions } from './core.main.ts';
import { deviationsOf } from './exact-audit.ts';
import type { PlatformUnderTest } from './platform-under-test.ts';
import { cpuUsOf, cpuUsOfTree } from './process-usage.ts';
import { type ServiceUnderTest, startService } from './services.ts';

const database = 'called_simulator';
const tokenLifetimeS = 8 * 3_600;

export class CalledPlatform extends CalledStack {
  private constructor(
    receiver: CalledProcess,
    private readonly platform: PlatformUnderTest,
    readonly simulator: ServiceUnderTest,
    private readonly around: Circumstances,
  ) {
    super('Paycode', database, { receiver, server: around.database });
  }

  static async start(
    receiver: CalledProcess,
    platform: PlatformUnderTest,
    around: Circumstances & { neighboursUrl: string; simulatorFlags?: string[] },
  ): Promise<CalledPlatform> {
    const { secrets, neighboursUrl, merchants, simulatorFlags } = around;
    const databaseUrl = await around.database.create(database);
    const simulator = await startService({
      name: 'payment-simulator',
      folder: around.database.folder('called-platform'),
      port: await freePort(),
      env: {
        ...secrets.tokenKeys.env('payment-simulator'),
        DATABASE_URL: databaseUrl,
        EVENTS_TRANSPORT: 'postgres',
        EVENTS_DATABASE_URL: platform.eventsUrl,
        PAYLOAD_KEYS: secrets.payloadKeys,
        NOTIFICATION_CONFIG_URL: neighboursUrl,
        AUTH_SESSION_URL: neighboursUrl,
      },
      nodeFlags: simulatorFlags,
    });
    const called = new CalledPlatform(receiver, platform, simulator, around);
    const token = secrets.tokenKeys.operatorToken({ lifetimeS: tokenLifetimeS });
    const merchantIds = merchants.map(({ merchantId }) => merchantId);
    const kind = 'payment-simulator';
    await called.core.call('open', { kind, url: simulator.internalUrl, token, merchantIds } satisfies CoreOptions);
    return called;
  }

  async stop(): Promise<void> {
    await this.core.stop();
    await this.simulator.kill();
  }

  protected cpu(): Record<string, number> {
    const { simulator, platform } = this;
    return {
      simulator: cpuUsOf(simulator.pid),
      dispatcher: cpuUsOf(platform.dispatcher.pid),
      scheduler: cpuUsOf(platform.scheduler.pid),
      PostgreSQL: cpuUsOfTree(this.around.database.pid),
    };
  }

  protected async endsFromNow(): Promise<() => Promise<number>> {
    const decided = () => this.platform.countOf('decision', 0, Number.MAX_SAFE_INTEGER);
    const before = await decided();
    return async () => (await decided()) - before;
  }

  protected async deviations(sent: ReadonlySet<number>, received: Float64Array): Promise<string[]> {
    const range = [Math.min(...sent), Math.max(...sent)] as const;
    const [verdicts, decisions] = [await this.platform.verdicts(...range), await this.platform.decisions(...range)];
    return deviationsOf({ sent, received, verdicts, decisions }, { verdict: 'ACKED_HTTP', decision: 'SETTLED' });
  }
}
