import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@paycode/persistence/embedded';
import { type ContractPlatform, StartedProcess } from './contract-platform';

/** Something that terminates TLS in front of the platform and asks auth-session. */
export interface Front {
  port: number;
  process: StartedProcess;
}

export type StartFront = (platform: ContractPlatform) => Promise<Front>;

/** Our own gateway. */
export const startApiGateway: StartFront = platform => startGateway(platform, {});

async function startGateway(platform: ContractPlatform, settings: Record<string, string>): Promise<Front> {
  const port = await freePort();
  const service = `http://${platform.echoAddress}`;
  const process_ = await StartedProcess.start({
    command: process.execPath,
    args: [join(__dirname, '../../../dist/apps/api-gateway/main.cjs')],
    env: {
      INTERNAL_PORT: '0',
      PUBLIC_PORT: String(port),
      ...platform.tokenKeys.env('api-gateway'),
      TLS_CERT_FILE: platform.certificate.certFile,
      TLS_KEY_FILE: platform.certificate.keyFile,
      AUTH_SESSION_URL: `http://${platform.authSessionAddress}`,
      AUTH_SESSION_PUBLIC_URL: service,
      NOTIFICATION_CONFIG_PUBLIC_URL: service,
      WEBHOOK_DISPATCHER_PUBLIC_URL: service,
      PAYMENT_SIMULATOR_PUBLIC_URL: service,
      ...settings,
    },
    ready: /"event":"started"/,
  });
  return { port, process: process_ };
}

/** HAProxy passing TLS through to our own gateway, with a header of the PROXY protocol in the version asked for. */
export async function startHaproxy(platform: ContractPlatform, version: 1 | 2): Promise<Front & { gateway: Front }> {
  const gateway = await startGateway(platform, { PROXY_PROTOCOL_FROM: '127.0.0.1', ADDRESS_CONNECTIONS_MAX: '2' });
  const port = await freePort();
  const file = join(platform.folder, `haproxy-${version}.cfg`);
  const header = version === 1 ? 'send-proxy' : 'send-proxy-v2';
  writeFileSync(
    file,
    `defaults\n  mode tcp\n  timeout connect 120s\n  timeout client 120s\n  timeout server 120s\n` +
      `listen tls\n  bind 127.0.0.1:${port}\n  server gateway 127.0.0.1:${gateway.port} ${header}\n`,
  );
  const args = ['-V', '-db', '-f', file];
  return { port, gateway, process: await StartedProcess.start({ command: 'haproxy', args, ready: /Using \w+\(\)/ }) };
}

/** nginx with the configuration of docs/how-to/external-authorization.md. */
export const startNginx: StartFront = async platform => {
  const port = await freePort();
  const run = join(platform.folder, 'nginx');
  mkdirSync(run);
  const values: Record<string, string> = {
    NGINX_MODULES: '/usr/lib/nginx/modules',
    CONFIG_FOLDER: join(__dirname, 'nginx'),
    RUN_FOLDER: run,
    ACCESS_LOG: join(run, 'access.log'),
    LISTEN: `127.0.0.1:${port}`,
    TLS_CERT_FILE: platform.certificate.certFile,
    TLS_KEY_FILE: platform.certificate.keyFile,
    PROXY_TOKEN: platform.proxyToken,
    AUTH_SESSION_INTERNAL: platform.authSessionAddress,
    AUTH_SESSION: platform.echoAddress,
    NOTIFICATION_CONFIG: platform.echoAddress,
    WEBHOOK_DISPATCHER: platform.echoAddress,
    PAYMENT_SIMULATOR: platform.echoAddress,
  };
  const template = readFileSync(join(__dirname, 'nginx/nginx.conf'), 'utf8');
  const file = join(run, 'nginx.conf');
  writeFileSync(
    file,
    template.replace(/\$\{([A-Z_]+)\}/g, (_, name: string) => values[name] ?? `missing ${name}`),
  );
  const args = ['-c', file, '-g', 'daemon off; error_log stderr notice;'];
  return { port, process: await StartedProcess.start({ command: 'nginx', args, ready: /start worker process \d+/ }) };
};
