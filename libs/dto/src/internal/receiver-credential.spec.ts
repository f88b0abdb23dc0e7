import { credentialHeaderOf, credentialProblem } from './receiver-credential';

const shape = 'credential must have header and value, or username and password, or nothing to remove it';
const reserved = 'credential.header must be no field that HTTP, proxies or the platform set';

describe('a credential that a merchant’s server demands (T-59)', () => {
  it.each([
    [
      { header: 'X-Api-Key', value: 'k 1' },
      { name: 'x-api-key', value: 'k 1' },
    ],
    [
      { header: 'Authorization', value: 'Bearer abc' },
      { name: 'authorization', value: 'Bearer abc' },
    ],
    [
      { username: 'Aladdin', password: 'open sesame' },
      { name: 'authorization', value: 'Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==' },
    ],
    [{}, null],
  ])('%j becomes one header field, and an empty one none', (credential, header) => {
    expect([credentialProblem(credential), credentialHeaderOf(credential)]).toEqual([undefined, header]);
  });

  it.each([
    [{ header: 'X-Key' }],
    [{ value: 'x' }],
    [{ username: 'u' }],
    [{ header: 'X-K', value: 'v', username: 'u', password: 'p' }],
  ])('half of a credential, or two at once, is refused: %j', credential => expect(credentialProblem(credential)).toBe(shape));

  it.each([[[]], ['x'], [7], [{ header: 'X-K', value: 'v', more: 1 }]])('another shape is refused: %j', credential => {
    expect(credentialProblem(credential)).toBe(shape);
  });

  it.each([
    ...['Host', 'Connection', 'Transfer-Encoding', 'TE', 'Upgrade', 'Expect', 'Proxy-Authorization', 'Keep-Alive', 'Trailer'],
    ...['Content-Length', 'content-type', 'Cookie', 'X-Webhook-Test', 'x-webhook-encryption', 'User-Agent', 'Accept-Encoding'],
    ...['X-Forwarded-For', 'Forwarded', 'Via', 'X-Real-IP', 'X-HTTP-Method-Override', 'traceparent'],
  ])('the header field %s cannot be set, because it changes what the request means', header => {
    expect(credentialProblem({ header, value: 'v' })).toBe(reserved);
  });

  const nameRule = 'credential.header must be the name of a header field, of at most 64 characters';
  const valueRule = 'credential.value must be 1 to 1,024 printable ASCII characters without a space at its ends';
  const values: [object, string][] = ['', ' v', 'v ', 'a\r\nHost: b', 'é', 'v'.repeat(1_025), 7].map(value => [
    { header: 'X-K', value },
    valueRule,
  ]);
  it.each<[object, string]>([
    [{ header: 'X Key', value: 'v' }, nameRule],
    [{ header: 'X'.repeat(65), value: 'v' }, nameRule],
    ...values,
    [{ username: 'a:b', password: 'p' }, 'credential.username must be 1 to 255 printable ASCII characters without a colon'],
    [{ username: 'u', password: 'p\n' }, 'credential.password must be 1 to 255 printable ASCII characters'],
  ])('a text that HTTP cannot carry is refused by a rule that does not quote it: %j', (credential, problem) => {
    expect(credentialProblem(credential)).toBe(problem);
  });
});
