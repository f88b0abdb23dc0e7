import { request as httpRequest } from 'node:http';
import { undoneAfterEach } from '@paycode/service-runtime/testing';
import { decodeJwt } from 'jose';
import { basic, type CreatedAccount, TestAuthSession } from '../testing/test-service';

const token = 'proxy-token-proxy-token-proxy-token';
const service = TestAuthSession.ofSpec({ EXTERNAL_AUTHORIZATION_TOKENS: `${token},another-proxy-token-another-proxy` });
let psp: CreatedAccount;
beforeAll(async () => (psp = await service.create({ type: 'PSP', id: 1 })));
const later = undoneAfterEach();

interface Answer {
  status: number;
  identity: string | undefined;
  headers: Record<string, unknown>;
  text: string;
}

/** Sends header lines exactly as given; a line given twice is sent twice. */
function ask(path: string, headers: string[], method = 'GET'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { port } = new URL(service.url('internal'));
    const lines = ['Host', 'auth', 'X-Paycode-Proxy-Token', token, ...headers];
    const request = httpRequest({
      host: '127.0.0.1',
      port,
      path: `/internal/authorize/http${path}`,
      method,
      headers: lines,
      agent: false,
    });
    request.once('error', reject).once('response', response => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.once('end', () => {
        const identity = response.headers['x-paycode-identity'] as string | undefined;
        resolve({ status: response.statusCode!, identity, headers: response.headers, text });
      });
    });
    request.end();
  });
}

const original = (uri: string, ...more: string[]) =>
  ask('/original', ['X-Original-URI', uri, 'X-Original-Method', 'POST', ...more]);
const credentials = () => basic(psp.username, psp.apiPassword);

describe('authorize as external authorization of a proxy', () => {
  it('an allowed request is a 200 with the identity assertion as a header', async () => {
    const answer = await original('/pluto/code/create', 'Authorization', credentials());
    expect([answer.status, answer.text]).toEqual([200, '']);
    expect(decodeJwt(answer.identity!).sub).toBe('psp-1');
  });

  it('for an open path the answer has an empty identity, which replaces the one that the client sent (T-26)', async () => {
    const answer = await original('/public/pay', 'X-Paycode-Identity', 'forged');
    expect([answer.status, answer.identity]).toEqual([200, '']);
  });

  it('a refusal is byte for byte the answer that api-gateway gives (R-7-1, R-7-5)', async () => {
    const gatewayAnswer = await service.authorize({ path: '/pluto/code/create', requestId: 'request-0001' });
    const answer = await original('/pluto/code/create', 'X-Request-Id', 'request-0001');
    if (gatewayAnswer.allowed) throw new Error('allowed');
    const untimed = (body: string) => body.replace(/"timestamp":"[^"]+"/, '');
    expect([answer.status, untimed(answer.text)]).toEqual([gatewayAnswer.status, untimed(gatewayAnswer.body)]);
    expect(answer.headers).toMatchObject(gatewayAnswer.headers);
    expect((await original('/pluto/stk/x', 'Authorization', credentials())).status).toBe(403);
  });

  it('every Authorization line counts (A-19)', async () => {
    const both = ['Authorization', credentials(), 'Authorization', 'Bearer a.b.c'];
    expect(JSON.parse((await original('/pluto/code/create', ...both)).text)).toMatchObject({
      message: 'Invalid or expired JWT token',
    });
  });

  it('each proxy gives the original path in its own header, once (T-26)', async () => {
    const spoofed = ['X-Original-URI', '/public/x', 'X-Forwarded-Uri', '/public/x', 'X-Forwarded-Method', 'GET'];
    expect((await original('/pluto/code/create', ...spoofed)).status).toBe(400);
    expect((await original('/pluto/code/create', ...spoofed.slice(2))).status).toBe(401);
    expect((await ask('/original', ['X-Original-Method', 'GET'])).status).toBe(400);
    const traefik = ['X-Forwarded-Uri', '/pluto/code/create', 'X-Forwarded-Method', 'POST'];
    expect((await ask('/forwarded', [...traefik, 'X-Original-URI', '/public/x'])).status).toBe(401);
    expect((await ask('/forwarded', ['X-Forwarded-Uri', '/public/x', 'X-Forwarded-Method', 'GET'])).status).toBe(200);
  });

  it.each(['GET', 'POST', 'PUT', 'DELETE'])('Envoy: %s with the path appended', async method => {
    const spoofed = ['X-Original-URI', '/public/x', 'Content-Length', '0'];
    expect((await ask('/path/pluto/code/create?x=1', spoofed, method)).status).toBe(401);
    expect((await ask('/path/pluto/code/create?x=1', [...spoofed, 'Authorization', credentials()], method)).status).toBe(200);
    expect((await ask('/path/public/x', ['Content-Length', '0'], method)).status).toBe(200);
  });

  it.each([
    ...['/path/public/../internal/x', '/path//public', '/path/public%2f..', '/path/PUBLIC/x', '/path/public/%00'],
    '/path/public/%0a',
  ])('%s is refused (T-26)', async path => {
    expect((await ask(path, ['Authorization', credentials()])).status).toBe(404);
  });

  it('only a caller with a proxy token gets a decision, and without configured tokens nobody does (T-27)', async () => {
    const { port } = new URL(service.url('internal'));
    const url = `http://127.0.0.1:${port}/internal/authorize/http/path/public/x`;
    expect((await fetch(url)).status).toBe(500);
    expect((await fetch(url, { headers: { 'x-paycode-proxy-token': `${token}x` } })).status).toBe(500);
    expect((await fetch(url, { headers: { 'x-paycode-proxy-token': 'another-proxy-token-another-proxy' } })).status).toBe(200);
    const closed = await TestAuthSession.start();
    later(() => closed.stop());
    const header = { 'x-paycode-proxy-token': token };
    expect((await fetch(`${closed.url('internal')}/internal/authorize/http/path/public/x`, { headers: header })).status).toBe(
      500,
    );
  });
});
