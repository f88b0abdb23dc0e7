/** `npm run demo`: plays a merchant on the running platform. Exits 0 only when one payment was settled and one reversed. */
import { readCallerTls } from '../../libs/platform-client/src/http/mutual-tls.ts';
import { PlatformConnection, PlatformNotRunningError } from '../../libs/platform-client/src/platform-connection.ts';
import { runDemo } from './demo/run-demo.ts';

try {
  const { PAYCODE_HOME, MUTUAL_TLS_CERT_FILE, MUTUAL_TLS_KEY_FILE, MUTUAL_TLS_CA_FILE } = process.env;
  const tls = readCallerTls({ certFile: MUTUAL_TLS_CERT_FILE, keyFile: MUTUAL_TLS_KEY_FILE, caFile: MUTUAL_TLS_CA_FILE });
  const platform = new PlatformConnection(PAYCODE_HOME ?? '.paycode', tls);
  process.exitCode = (await runDemo(platform)) ? 0 : 1;
} catch (error) {
  const text = error instanceof PlatformNotRunningError ? error.message : `The demo did not work: ${(error as Error).message}`;
  process.stderr.write(`\n${text}\n`);
  process.exitCode = 1;
}
