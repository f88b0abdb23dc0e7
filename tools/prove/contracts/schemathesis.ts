import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { MerchantEnvironment } from './merchant-environment';
import type { Toolchain } from './toolchain';

const root = join(__dirname, '../../..');
const folder = join(__dirname, 'schemathesis');
const withinMs = 600_000;

export interface SchemathesisRun {
  /** Cases of each operation in the fuzzing phase; the phases before it have as many as the schema asks for. */
  examples: number;
  seed: number;
}

/** Runs Schemathesis over every operation of the public document as the PSP of `environment`; gives its exit code and what it printed. */
export async function schemathesis(
  { pythonBin }: Toolchain,
  environment: MerchantEnvironment,
  { examples, seed }: SchemathesisRun,
): Promise<{ code: number | null; output: string }> {
  const { username, password } = await environment.prepare();
  await environment.wakePortal();
  const { baseUrl, caFile } = environment.platform.standalone;
  const merchantReference = 'schemathesis';
  const code = await environment.createCode(merchantReference);
  const transactionId = await environment.pay(code);
  const known = { merchantId: environment.merchantId, code, merchantReference, transactionId, url: 'http://127.0.0.1:1/' };
  const args = [
    ...['--config-file', join(folder, 'schemathesis.toml'), 'run', join(root, 'docs/reference/http/public.openapi.yaml')],
    // `npm start` names the file from the project's folder, and the command runs in another.
    ...['--url', baseUrl, '--tls-verify', resolve(caFile), '--auth', `${username}:${password}`],
    ...['--phases', 'examples,coverage,fuzzing', '--max-examples', String(examples), '--seed', String(seed)],
    ...['--continue-on-failure', '--warnings', 'off'],
  ];
  const env = { ...process.env, CONTRACTS_KNOWN: JSON.stringify(known), PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: '1' };
  return outputOf(join(pythonBin, 'schemathesis'), args, env);
}

function outputOf(command: string, args: string[], env: NodeJS.ProcessEnv): Promise<{ code: number | null; output: string }> {
  // It keeps what it found in a folder below the one it is started in.
  const child = spawn(command, args, { env, cwd: tmpdir(), stdio: ['ignore', 'pipe', 'pipe'], timeout: withinMs });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  return new Promise((fulfil, reject) => {
    child.once('error', reject);
    child.once('close', code => fulfil({ code, output }));
  });
}
