import { GatewayUnderTest } from '../testing/gateway-under-test';
import { json } from '../testing/stub-service';

const marker = 'MaRkEr7bQ2';

describe('the log of the gateway about a request (R-5.4-3, T-17)', () => {
  it('has one line with ids, path without query, status and time; never a credential, body, query or identity', async () => {
    const lines: string[] = [];
    const write = process.stdout.write.bind(process.stdout);
    const capture = jest.spyOn(process.stdout, 'write').mockImplementation(((chunk: string | Uint8Array, ...rest: []) => {
      lines.push(chunk.toString());
      return rest.length > 0 ? write('', ...rest) : true;
    }) as typeof process.stdout.write);
    const gateway = await GatewayUnderTest.start({ LOG_LEVEL: 'debug' });
    gateway.auth.answer = (_request, response) => json(response, { allowed: true, identity: `${marker}.identity` });
    const headers = {
      authorization: `Bearer ${marker}`,
      cookie: marker,
      'x-paycode-identity': marker,
      'x-request-id': 'log-line-1',
    };
    await gateway.post(`/authentication/login?token=${marker}`, `{"password":"${marker}"}`, headers);
    await gateway.post(`/public/../x?token=${marker}`, `{"password":"${marker}"}`, headers);
    gateway.auth.answer = (_request, response) => response.destroy();
    await gateway.post(`/authentication/login?token=${marker}`, `{"password":"${marker}"}`, headers);
    const metrics = await fetch(`http://127.0.0.1:${gateway.service.ports.internal}/metrics`).then(answer => answer.text());
    await gateway.stop();
    capture.mockRestore();

    const requests = lines
      .filter(line => line.includes('"msg":"request"'))
      .map(line => JSON.parse(line) as Record<string, unknown>);
    expect(requests).toHaveLength(3);
    expect(requests[0]).toMatchObject({
      requestId: 'log-line-1',
      method: 'POST',
      path: '/authentication/login',
      status: 200,
      address: '127.0.0.1',
      route: 'auth-session',
    });
    expect(lines.join('') + metrics).not.toContain(marker);
    expect(metrics).toContain('paycode_api_gateway_requests_total{route="auth-session",method="POST",status="200"} 1');
  });
});
