import { basic, ExactGatewayClient } from './testing/exact-gateway-client';
import { sharedPlatform } from './testing/platform';

/** The gateway refuses a request that is too large, of the wrong type or not HTTP before any service reads it. */
describe('a request beyond the limits', () => {
  const platform = sharedPlatform();
  const gateway = new ExactGatewayClient(platform);
  const post = (body: string, type: string[] = ['Content-Type', 'application/json']) =>
    gateway.send({ method: 'POST', path: '/pluto/code/create', headers: [...basic(platform.account('psp-1')), ...type], body });

  it('a body beyond 256 KiB is a JSON 413', async () => {
    const answer = await post(' '.repeat(262_145));
    expect([answer.status, answer.message]).toEqual([413, 'body is larger than allowed']);
  });

  it('a body that is not JSON by its type is a JSON 415 (R-5.4-1, R-4-1)', async () => {
    expect([(await post('a=1', ['Content-Type', 'text/plain'])).status, (await post('{}', [])).status]).toEqual([415, 415]);
  });

  it('a body that is not JSON in fact is a 400 of the service, with the request id of the client (R-7-6)', async () => {
    const headers = [...basic(platform.account('psp-1')), 'Content-Type', 'application/json', 'X-Request-Id', 'journey-0001'];
    const answer = await gateway.send({ method: 'POST', path: '/pluto/code/create', headers, body: '{' });
    expect([answer.status, answer.headers['x-request-id']]).toEqual([400, 'journey-0001']);
    expect(JSON.parse(answer.text)).toMatchObject({ status: 400, error: 'Bad Request', requestId: 'journey-0001' });
  });

  it('a second credential counts, and an invalid Bearer refuses the request (A-19)', async () => {
    const headers = [...basic(platform.account('psp-1')), 'Authorization', 'Bearer x.y.z'];
    const answer = await gateway.send({ path: '/pluto/code/0000000000', headers });
    expect([answer.status, answer.message]).toEqual([401, 'Invalid or expired JWT token']);
  });

  it('a token in the query is never accepted (R-5.4-3)', async () => {
    const [, value] = basic(platform.account('psp-1'));
    const answer = await gateway.send({
      path: `/pluto/code/0000000000?authorization=${encodeURIComponent(value!)}&access_token=x`,
    });
    expect([answer.status, answer.message]).toEqual([401, 'Bad Credentials']);
  });
});
