/** `npm run demo`: plays a merchant on the running platform. Exits 0 only when one payment was settled and one reversed. */
import { PlatformConnection, PlatformNotRunningError } from '../../libs/platform-client/src/platform-connection.ts';
import { runDemo } from './demo/run-demo.ts';

try {
  const platform = new PlatformConnection(process.env['PAYCODE_HOME'] ?? '.paycode');
  process.exitCode = (await runDemo(platform)) ? 0 : 1;
} catch (error) {
  const text = error instanceof PlatformNotRunningError ? error.message : `The demo did not work: ${(error as Error).message}`;
  process.stderr.write(`\n${text}\n`);
  process.exitCode = 1;
}
