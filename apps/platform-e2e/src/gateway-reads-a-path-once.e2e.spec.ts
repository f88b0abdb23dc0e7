import { basic, ExactGatewayClient } from './testing/exact-gateway-client';
import { sharedPlatform } from './testing/platform';

const tricks = [
  '/public/../internal/accounts',
  '/public/..;/internal/accounts',
  '/public/%2e%2e/internal/accounts',
  '/public/%252e%252e/internal/accounts',
  '/public%2f..%2finternal/accounts',
  '/public/..%5cinternal/accounts',
  '//internal/accounts',
  '/public//../internal/accounts',
  '/public;/../internal/accounts',
  '/PUBLIC/../pluto/code/create',
  '/Pluto/Code/create',
  '/pluto/./code/create',
  '/pluto/code/create%00',
  '/pluto/code/create%20',
  '/pluto/co%u0064e/create',
  '/pluto/c\u00f6de/create',
];

/** No spelling of a path meets one rule and reaches another handler. */
describe('a path that two parsers may read differently', () => {
  const platform = sharedPlatform();
  const gateway = new ExactGatewayClient(platform);

  it.each(tricks)('%s is refused, with and without credentials (T-26)', async path => {
    for (const headers of [[], basic(platform.account('psp-1'))]) {
      const answer = await gateway.send({ path: Buffer.from(path).toString('latin1'), headers });
      expect([answer.status, answer.message]).toEqual([400, expect.stringMatching(/invalid path|not valid HTTP/)]);
    }
  });

  it('RFC 3986: an encoded letter is that letter, for the rule and for the service alike', async () => {
    const anonymous = await gateway.send({ path: '/%70luto/%63ode/0000000000' });
    expect([anonymous.status, anonymous.message]).toEqual([401, 'Bad Credentials']);
    const psp = await gateway.send({ path: '/%70luto/%63ode/0000000000', headers: basic(platform.account('psp-1')) });
    expect(psp.status).toBe(404);
  });
});
