import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { GuideCluster, KubectlServer } from './guide-cluster';
import { GuideShell, guideSteps, rotations, settleFunction, type StepOutput, valuesAndFunctions } from './guide-shell';

/** How long each step took, and all of them: what a person waits who pastes them one after the other. */
function stopwatch(steps: ReadonlyMap<string, StepOutput>): string {
  const total = [...steps.values()].reduce((sum, { seconds }) => sum + seconds, 0);
  const lines: (readonly [string, number])[] = [...steps].map(([title, { seconds }]) => [title, seconds]);
  lines.push(['from the first line of the guide to the first settled payment; images were built before', total]);
  return lines.map(([what, seconds]) => `${seconds.toFixed(1).padStart(7)} s  ${what}\n`).join('');
}

describe('docs/how-to/deploy-to-kubernetes.md, executed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'paycode-guide-'));
  const cluster = new GuideCluster(folder);
  const kubectl = new KubectlServer(cluster);
  const socket = join(folder, 'kubectl.sock');
  const secrets = join(folder, 'home/paycode-secrets');
  let shell: GuideShell;
  let steps: Map<string, StepOutput>;
  /** As it was before the rotations. */
  let firstDatabaseUrl: string;

  const run = (blocks: Map<string, string>) =>
    shell.run(blocks).catch((error: Error) => {
      throw new Error(`${error.message}\n${cluster.logTails()}`, { cause: error });
    });

  beforeAll(async () => {
    await kubectl.listen(socket);
    shell = new GuideShell(folder, socket);
    cluster.onDeployed = () => writeFileSync(shell.gatewayPortFile, cluster.gatewayPort);
    steps = await run(guideSteps());
    firstDatabaseUrl = readFileSync(join(secrets, 'store/paycode/auth-session/database-url'), 'utf8');
    process.stdout.write(stopwatch(steps));
  });
  afterAll(async () => {
    await cluster.stop();
    await kubectl.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('settles the first payment (R-8-1)', () => {
    expect([...steps.keys()]).toHaveLength(6);
    expect(steps.get('5. Kafka and PostgreSQL')!.output).toContain('All are there.');
    expect(steps.get('7. The first payment')!.output).toMatch(/SETTLED/);
  });

  it('the role of a service reads and writes rows over a verified connection, and owns nothing', async () => {
    const client = new pg.Client(cluster.databaseConnection(firstDatabaseUrl));
    await client.connect();
    try {
      const { rows } = await client.query('select ssl, current_user as role from pg_stat_ssl where pid = pg_backend_pid()');
      expect(rows).toEqual([{ ssl: true, role: 'paycode_auth_session' }]);
      await expect(client.query('create table mine (id int)')).rejects.toThrow('permission denied');
      const { rows: owned } = await client.query("select 1 from pg_class where relowner = 'paycode_auth_session'::regrole");
      expect(owned).toEqual([]);
    } finally {
      await client.end();
    }
  });

  it("an operator's commands read dead letters and audit the payment from inside the cluster (T-19)", async () => {
    const topic = 'paycode.transaction.terminal.v1.webhook-dispatcher.dlq';
    expect(await cluster.exec(['redrive', topic, '--list'], '')).toMatchObject({ status: 0, output: '0 records wait\n' });
    const { status, output } = await cluster.audit();
    expect({ status, output }).toMatchObject({ status: 0, output: expect.stringContaining('1 settled, 0 reversed') as string });
  });

  describe('k8s/runbooks/rotate-secrets.md, executed', () => {
    it.each([...rotations()])('%s: payments are settled after each step (R-8-1)', async (title, blocks) => {
      const reference = title.toLowerCase().replaceAll(' ', '-');
      const parts = blocks.map((block, at): [string, string] => [`${title} ${at + 1}`, `${block}\nsettle ${at + 1}`]);
      const prelude: [string, string] = ['prelude', `${valuesAndFunctions()}\n${settleFunction(reference)}`];
      const done = await run(new Map([prelude, ...parts]));
      for (const [part, { output }] of [...done].slice(1))
        expect({ part, output }).toMatchObject({ output: expect.stringContaining('SETTLED') as string });
    });

    it('a password that was replaced opens nothing any more', async () => {
      const client = new pg.Client(cluster.databaseConnection(firstDatabaseUrl));
      await expect(client.connect()).rejects.toThrow('password authentication failed');
    });
  });
});
