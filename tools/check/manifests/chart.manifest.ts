import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TestAuthority } from '@paycode/safe-http/testing';
import { parse } from 'yaml';
import { chartFiles, chartFolder } from '../chart/chart-files';

const root = join(__dirname, '../../..');
/** Of the templates, those that are written by hand. */
const byHand = ['_helpers.tpl', 'NOTES.txt', 'cells.yaml', 'certificates.yaml', 'extra-objects.yaml', 'tests'];

describe('the Helm chart', () => {
  it('is what the overlays make it (npm run generate -- manifests)', async () => {
    const files = await chartFiles(root);
    const stale = [...files].filter(
      ([path, text]) => !existsSync(join(root, path)) || readFileSync(join(root, path), 'utf8') !== text,
    );
    expect(stale.map(([path]) => path)).toEqual([]);
    const templates = readdirSync(join(root, chartFolder, 'templates')).filter(name => !byHand.includes(name));
    expect(templates.filter(name => !files.has(`${chartFolder}/templates/${name}`))).toEqual([]);
  }, 120_000);

  it('has the version of the release', () => {
    const chart = parse(readFileSync(join(root, chartFolder, 'Chart.yaml'), 'utf8')) as { version: string; appVersion: string };
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    expect(chart).toMatchObject({ version, appVersion: version });
  });
});

describe('the pod of `helm test`', () => {
  let certFile: string;
  let service: Server;
  let readiness: number[];
  beforeAll(async () => {
    const certificate = await TestAuthority.selfSigned({ dns: ['localhost'] });
    certFile = join(mkdtempSync(join(tmpdir(), 'paycode-ready-')), 'cert.pem');
    writeFileSync(certFile, certificate.cert);
    service = createServer(certificate, (asked, answer) => {
      answer.statusCode = asked.url === '/health/ready' ? (readiness.shift() ?? 200) : 404;
      answer.end();
    });
    service.listen(0, '127.0.0.1');
    await once(service, 'listening');
  });
  afterAll(async () => {
    service.close();
    await once(service, 'close');
  });

  it('waits until a service is ready', async () => {
    readiness = [503, 200];
    expect(await ready({ GIVE_UP_MS: '120000' })).toEqual({ code: 0, output: `localhost:${port()} is ready\n` });
  });

  it('fails for a service that does not become ready, and names it', async () => {
    readiness = [503];
    expect(await ready({ GIVE_UP_MS: '0' })).toEqual({ code: 1, output: `localhost:${port()} answers 503\n` });
  });

  it('asks a further cell, which shows the certificate of the first one, for that name', async () => {
    readiness = [];
    const at = `127.0.0.1:${port()}`;
    expect(await ready({ GIVE_UP_MS: '0', SERVICES: `${at}=localhost` })).toEqual({ code: 0, output: `${at} is ready\n` });
    expect(await ready({ GIVE_UP_MS: '0', SERVICES: at })).toMatchObject({ code: 1 });
  });

  it('trusts no other authority than that of the platform', async () => {
    readiness = [];
    const { code, output } = await ready({ GIVE_UP_MS: '0', NODE_EXTRA_CA_CERTS: '' });
    expect({ code, output }).toEqual({ code: 1, output: expect.stringMatching(/self-signed certificate/) });
  });

  function port(): number {
    return (service.address() as AddressInfo).port;
  }

  function ready(env: Record<string, string>): Promise<{ code: number; output: string }> {
    const script = readFileSync(join(root, chartFolder, 'files/ready.cjs'), 'utf8');
    const own = { PATH: process.env['PATH'], NODE_EXTRA_CA_CERTS: certFile, SERVICES: `localhost:${port()}`, ...env };
    return new Promise(resolve =>
      execFile(process.execPath, ['-e', script], { env: own, timeout: 120_000 }, (error, stdout, stderr) =>
        resolve({ code: Number(error?.code ?? 0), output: stdout + stderr }),
      ),
    );
  }
});
