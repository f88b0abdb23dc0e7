/** The main program of a benchmark: its options, PostgreSQL, receivers and the services that it does not measure, and their end. */
import { parseArgs } from 'node:util';
import { ConfigStandIn, makeSecrets } from '../../prove/faults/environment/stand-ins.ts';
import { BenchDatabase } from './bench-database.ts';
import { bundle, CalledProcess, endChildren } from './child-processes.ts';
import { writeBenchCertificate } from './merchants.ts';
import type { PlatformFixture } from './platform-under-test.ts';
import type { ReceiverOptions, ReceiverPorts } from './receiver.main.ts';

export interface BenchFixture extends PlatformFixture {
  receiver: CalledProcess;
  ports: ReceiverPorts;
}

type Receivers = Omit<ReceiverOptions, 'certFile' | 'keyFile'>;
type Run<T> = (fixture: BenchFixture, scale: T, options: { ceilings: boolean }) => Promise<boolean>;

const flag = { type: 'boolean', default: false } as const;

/** Runs `measure`, and ends the process with everything that it started. The exit code is 1 when `measure` gives false. */
export function runBenchmark<T>(scales: Record<'quick' | 'full', T>, receivers: (scale: T) => Receivers, measure: Run<T>): void {
  const run = async () => {
    const { values } = parseArgs({ options: { quick: flag, ceilings: flag } });
    const scale = scales[values.quick ? 'quick' : 'full'];
    const database = await BenchDatabase.start();
    try {
      const secrets = makeSecrets(database.home);
      const config = await ConfigStandIn.start(secrets.keyEncryptionKeys);
      const certificate = await writeBenchCertificate(database.home);
      const receiver = new CalledProcess(bundle('receiver'));
      const ports = await receiver.call<ReceiverPorts>('open', { ...certificate, ...receivers(scale) });
      return await measure({ database, config, secrets, certificate, receiver, ports }, scale, values);
    } finally {
      endChildren();
      await database.stop();
    }
  };
  run().then(
    isExact => process.exit(isExact ? 0 : 1),
    (error: Error) => {
      process.stderr.write(`${error.stack}\n`);
      process.exit(1);
    },
  );
}
