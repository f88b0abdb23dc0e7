/** Cells of one platform: each a dispatcher, a scheduler and a PostgreSQL with a share of a core; Kafka and the map stand outside of the shares. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '@paycode/persistence/embedded';
import { descendantsOf } from '../../prove/testing/processes.ts';
import { kafkaVersion } from '../../run/kafka/distribution.ts';
import { KafkaCluster } from '../../run/kafka/kafka-cluster.ts';
import { BenchDatabase } from './bench-database.ts';
import { CpuShare } from './cpu-share.ts';
import { idsOf, type Payments } from './delivery-rounds.ts';
import { type PlatformFixture, PlatformUnderTest, serviceUnderTest } from './platform-under-test.ts';
import { deviationsOf, progress } from './report.ts';

/** Of a core, for each cell. */
const share = 0.15;
const names = ['main', 'b', 'c', 'd'];
const partitionCount = 64;

export class Cell {
  private readonly quota: CpuShare;

  private constructor(
    readonly name: string,
    readonly database: BenchDatabase,
    readonly platform: PlatformUnderTest,
  ) {
    this.quota = new CpuShare(share, this.pids(), name);
  }

  static async start(name: string, fixture: PlatformFixture, brokers: string): Promise<Cell> {
    const database = await BenchDatabase.start();
    const platform = await PlatformUnderTest.start({ ...fixture, database, name: 'own', cell: name, brokers });
    return new Cell(name, database, platform);
  }

  /** Starts what was killed. */
  async revive(): Promise<void> {
    await this.platform.revive();
    this.quota.add(this.pids());
  }

  async stop(): Promise<void> {
    this.quota.lift();
    await this.platform.kill();
    await this.database.stop();
    this.quota.close();
  }

  private pids(): number[] {
    const { database, platform } = this;
    const sessions = descendantsOf(database.pid).map(({ pid }) => pid);
    return [platform.dispatcher.pid!, platform.scheduler.pid!, database.pid, ...sessions];
  }
}

type End = Awaited<ReturnType<PlatformUnderTest['verdicts']>>[number];

export class Cells {
  readonly all: Cell[] = [];
  /** Cells whose dispatchers were killed: they may post a payment once more (P-I8). */
  mayRepeat: readonly string[] = [];
  /** POSTs that came once more. */
  repeated = 0;

  private constructor(
    private readonly fixture: PlatformFixture,
    private readonly kafka: KafkaCluster,
    /** Options of an operator's command. */
    private readonly connection: string[],
  ) {}

  static async start(fixture: PlatformFixture): Promise<Cells> {
    const { database, secrets, config } = fixture;
    const nodes = [{ client: await freePort(), controller: await freePort() }];
    const kafka = await KafkaCluster.start({ version: kafkaVersion(), nodes, folder: database.folder('kafka') });
    process.once('exit', () => void kafka.stop());
    await kafka.ensureTopics();
    const own = { DATABASE_URL: await database.create('map'), KEY_ENCRYPTION_KEYS: secrets.keyEncryptionKeys };
    const map = await serviceUnderTest('notification-config', database.home, { secrets, env: own });
    await map.start();
    config.mapUrl = map.internalUrl;
    const token = join(database.home, 'operator.token');
    writeFileSync(token, secrets.tokenKeys.operatorToken({ lifetimeS: 7_200 }));
    return new Cells(fixture, kafka, ['--token-file', token, '--url', `notification-config=${map.internalUrl}`]);
  }

  /** Every cell has as many partitions as any other then. */
  async growTo(count: number): Promise<void> {
    for (const name of names.slice(this.all.length, count)) {
      progress(`cell ${name} starts`);
      const cell = await Cell.start(name, this.fixture, this.brokers);
      const { dispatcher, scheduler } = cell.platform;
      await this.operate('add', name, '--dispatcher', dispatcher.internalUrl, '--scheduler', scheduler.internalUrl);
      this.all.push(cell);
    }
    const each = partitionCount / count;
    for (const [at, { name }] of this.all.entries()) if (at > 0) await this.move(`${at * each}-${(at + 1) * each - 1}`, name);
  }

  move(partitions: string, to: string): Promise<void> {
    progress(`partitions ${partitions} move to ${to}`);
    return this.operate('move', '--partitions', partitions, '--to', to);
  }

  get brokers(): string {
    return this.kafka.brokers.join(',');
  }

  async isDone({ firstId, count }: Payments): Promise<boolean> {
    const each = this.all.map(({ platform }) => platform.countOf('decision', firstId, firstId + count - 1));
    return (await Promise.all(each)).reduce((sum, done) => sum + done, 0) >= count;
  }

  /** Over all cells: a payment that two of them took has two verdicts. */
  async deviations(payments: Payments, received: Iterable<number>): Promise<string[]> {
    const may = new Set((await this.endsOf('verdicts', payments, this.mayRepeat)).map(({ transactionId }) => transactionId));
    const seen = new Set<number>();
    const counted = [...received].filter(id => !(seen.has(id) && may.delete(id)) && seen.add(id));
    this.repeated = [...received].length - counted.length;
    const [verdicts, decisions] = [await this.endsOf('verdicts', payments), await this.endsOf('decisions', payments)];
    return deviationsOf({ sent: idsOf(payments), received: counted, verdicts, decisions });
  }

  async endsOf(what: 'verdicts' | 'decisions', { firstId, count }: Payments, cells: readonly string[] = names): Promise<End[]> {
    const chosen = this.all.filter(({ name }) => cells.includes(name));
    return (await Promise.all(chosen.map(({ platform }) => platform[what](firstId, firstId + count - 1)))).flat();
  }

  async stop(): Promise<void> {
    await Promise.all(this.all.map(cell => cell.stop()));
    await this.kafka.stop();
  }

  private async operate(...words: string[]): Promise<void> {
    await promisify(execFile)(process.execPath, ['tools/run.cjs', 'paycode', 'cells', ...words, ...this.connection]);
  }
}
