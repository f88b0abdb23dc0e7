import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { request as secureRequest, type RequestOptions } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@paycode/persistence/embedded';
import { startNginx, TestAuthority } from '@paycode/safe-http/testing';
import { decodeJwt } from 'jose';
import { basic, type CreatedAccount, TestAuthSession } from '../testing/test-service';

const pages = join(__dirname, '../../../../k8s/examples/nginx');
const token = 'proxy-token-proxy-token-proxy-token';
const create = '/pluto/code/create';
const json = ['Content-Type', 'application/json'];

const modules = '/usr/lib/nginx/modules';
const isThere = existsSync(join(modules, 'ngx_http_js_module.so'));
const notRun = isThere ? '' : ' (not run: nginx with njs, apt-get install nginx libnginx-mod-http-js)';

/** proves: T-26 */
(isThere ? describe : describe.skip)(
  `nginx in place of api-gateway, as the page on external authorization has it${notRun}`,
  () => {
    let folder: string;
    let service: TestAuthSession;
    let psp: CreatedAccount;
    let nginx: ChildProcess;
    let port: number;
    /** Every service behind nginx: it answers with the request that it received. */
    let behind: Server;
    let reached = 0;

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'paycode-nginx-'));
      // nginx drops to an unprivileged user when root starts it, and that one writes its temporary files below.
      chmodSync(folder, 0o711);
      service = await TestAuthSession.start({ EXTERNAL_AUTHORIZATION_TOKENS: token });
      psp = await service.create({ type: 'PSP', id: 1 });
      behind = createServer((request, response) => {
        reached += 1;
        request.resume().once('end', () => {
          const { method, url, headers } = request;
          response.writeHead(200, json).end(JSON.stringify({ method, url, headers }));
        });
      });
      await once(behind.listen(0, '127.0.0.1'), 'listening');
      port = await freePort();
      nginx = await configured();
    });
    afterAll(async () => {
      nginx.kill('SIGTERM');
      await Promise.all([once(nginx, 'exit'), service.stop(), new Promise(resolve => behind.close(resolve))]);
      rmSync(folder, { recursive: true });
    });
    beforeEach(() => (reached = 0));

    /** nginx, with the values that the page has filled in by envsubst. */
    async function configured(): Promise<ChildProcess> {
      const { cert, key } = await TestAuthority.selfSigned({ dns: ['localhost'] });
      writeFileSync(join(folder, 'tls.crt'), cert);
      writeFileSync(join(folder, 'tls.key'), key);
      const services = `127.0.0.1:${(behind.address() as AddressInfo).port}`;
      const values: Record<string, string> = {
        NGINX_MODULES: modules,
        CONFIG_FOLDER: pages,
        RUN_FOLDER: folder,
        ACCESS_LOG: join(folder, 'access.log'),
        LISTEN: `127.0.0.1:${port}`,
        TLS_CERT_FILE: join(folder, 'tls.crt'),
        TLS_KEY_FILE: join(folder, 'tls.key'),
        PROXY_TOKEN: token,
        AUTH_SESSION_INTERNAL: new URL(service.url('internal')).host,
        ...{ AUTH_SESSION: services, NOTIFICATION_CONFIG: services, WEBHOOK_DISPATCHER: services, PAYMENT_SIMULATOR: services },
      };
      const template = readFileSync(join(pages, 'nginx.conf'), 'utf8');
      writeFileSync(
        join(folder, 'nginx.conf'),
        template.replace(/\$\{([A-Z_]+)\}/g, (_, name: string) => values[name]!),
      );
      return startNginx(folder, port);
    }

    interface Answer {
      status: number;
      headers: IncomingHttpHeaders;
      body: { message?: string; method: string; url: string; headers: Record<string, string> };
      text: string;
    }

    /** Sends path and header lines exactly as they are given. */
    function ask(
      path: string,
      lines: string[] = [],
      { body, ...options }: RequestOptions & { body?: string } = {},
    ): Promise<Answer> {
      const length = body === undefined ? [] : ['Content-Length', String(Buffer.byteLength(body))];
      const headers = ['Host', 'localhost', 'X-Request-Id', 'request-0001', ...lines, ...length];
      const where = { host: '127.0.0.1', port, path, rejectUnauthorized: false, agent: false } as const;
      return new Promise((resolve, reject) => {
        const request = secureRequest({ ...where, ...options, headers }, response => {
          let text = '';
          response.setEncoding('utf8').on('data', (part: string) => (text += part));
          response.once('end', () => {
            const parsed = JSON.parse(text) as Answer['body'];
            resolve({ status: response.statusCode!, headers: response.headers, body: parsed, text });
          });
        });
        request.once('error', reject).end(body);
      });
    }

    const own = () => ['Authorization', basic(psp.username, psp.apiPassword)];
    const post = (lines: string[], body: string) => ask(create, lines, { method: 'POST', body });

    it('passes a refusal of auth-session on, with its headers and byte for byte (R-7-1)', async () => {
      const decision = await service.authorize({ path: create, requestId: 'request-0001' });
      if (decision.allowed) throw new Error('allowed');
      const { status, headers, text } = await ask(create);
      const untimed = (answer: string) => answer.replace(/"timestamp":"[^"]+"/, '');
      expect([status, untimed(text)]).toEqual([decision.status, untimed(decision.body)]);
      expect(headers).toMatchObject(decision.headers);
      expect((await ask('/pluto/stk/x', own())).status).toBe(403);
      expect(reached).toBe(0);
    });

    it('an allowed request reaches the service with the asserted identity and without the credential (R-5-1)', async () => {
      const { status, body } = await ask(`${create}?a=%2F`, [...own(), ...json], { method: 'POST', body: '{"a":1}' });
      expect([status, body.method, body.url]).toEqual([200, 'POST', `${create}?a=%2F`]);
      const asserted = { sub: 'psp-1', aud: 'payment-simulator', htm: 'POST', htu: create };
      expect(decodeJwt(body.headers['x-paycode-identity']!)).toMatchObject(asserted);
      expect([body.headers['authorization'], body.headers['x-paycode-proxy-token']]).toEqual([undefined, undefined]);
    });

    it('forged identity, address and path claims change nothing (T-26)', async () => {
      const claims = { 'X-Paycode-Identity': 'forged', 'X-Forwarded-For': '198.51.100.1', 'X-Original-URI': '/public/x' };
      const forged = [...Object.entries(claims).flat(), 'X-Original-Method', 'GET'];
      const { body } = await ask('/public/pay', forged);
      expect([body.headers['x-paycode-identity'], body.headers['x-forwarded-for']]).toEqual([undefined, '127.0.0.1']);
      expect((await ask(create, forged)).status).toBe(401);
    });

    it('logout and renew alone receive the token (R-4.1-11)', async () => {
      const paths = ['logout', 'renew', 'login'].map(name => `/authentication/${name}`);
      const seen = await Promise.all(
        paths.map(path => ask(path, ['Authorization', 'Bearer a.b.c'], { method: 'POST', body: '' })),
      );
      expect(seen.map(({ body }) => body.headers['authorization'])).toEqual(['Bearer a.b.c', 'Bearer a.b.c', undefined]);
    });

    it.each([
      ...['/public/../internal/x', '/public/..;/internal', '//public/x', '/public%2fx', '/PUBLIC/x', '/public/%00'],
      '/metrics',
    ])('%s reaches no service (T-26)', async path => {
      for (const lines of [[], own()]) expect([400, 401, 403, 404]).toContain((await ask(path, lines)).status);
      expect(reached).toBe(0);
    });

    it('a body beyond 256 KiB is a 413, one that is not JSON a 415, and plain HTTP a 400, in JSON (R-5.4-1, R-1-9)', async () => {
      const large = await post([...own(), ...json], ' '.repeat(262_145));
      expect([large.status, large.body.message]).toEqual([413, 'body is larger than allowed']);
      const form = await post([...own(), 'Content-Type', 'text/plain'], 'a=1');
      expect([form.status, form.body.message]).toEqual([415, 'Content-Type must be application/json']);
      const socket = connect(port, '127.0.0.1').end('GET /public/x HTTP/1.1\r\nHost: localhost\r\n\r\n');
      const [plain] = (await once(socket.setEncoding('utf8'), 'data')) as [string];
      expect(plain).toMatch(/^HTTP\/1\.1 400 /);
      expect(reached).toBe(0);
      expect((await post([...own(), ...json], ' '.repeat(262_144))).status).toBe(200);
    });

    it('speaks TLS 1.2 with forward secrecy only, and every answer has HSTS (R-5.4-4, A-81)', async () => {
      const old = { maxVersion: 'TLSv1.2' } as const;
      const { status, headers } = await ask('/public/x', [], old);
      expect([status, headers['strict-transport-security']]).toEqual([200, 'max-age=31536000']);
      await expect(ask('/public/x', [], { ...old, ciphers: 'ECDHE-ECDSA-AES128-SHA256' })).rejects.toThrow();
    });

    it('nothing passes while auth-session is away: a 503 with Retry-After', async () => {
      await service.replicas.pop()!.stop('test');
      const { status, headers } = await ask('/public/x');
      expect([status, headers['retry-after'], reached]).toEqual([503, '1', 0]);
    });
  },
);
