import { isStandardPair, readUrl, targetOf, urlCharsMax } from './url-rules';

const ports = [80, 443, 8_080, 8_443, 1, 22, 81, 3_000, 8_000, 8_081, 8_444, 65_535];

describe('rules for webhook URLs', () => {
  describe('as in R-8-6, R-6.2-6, A-45', () => {
    it.each([
      ['production', 'https:', [443, 8_443]],
      ['production', 'http:', []],
      ['sandbox', 'https:', [443, 8_443]],
      ['sandbox', 'http:', [80, 8_080]],
    ] as const)('in %s %s may use the ports %j and no other', (environment, protocol, allowed) => {
      const usable = ports.filter(port => isStandardPair({ protocol, hostname: 'shop.test', port }, { environment }));
      expect(usable).toEqual(allowed);
    });
  });

  it('a URL without a port has that of its scheme', () => {
    expect([targetOf(new URL('https://a.test')).port, targetOf(new URL('http://a.test')).port]).toEqual([443, 80]);
  });

  it.each([
    ['https://a.test/x#', 'FRAGMENT'],
    ['https://a.test/#x', 'FRAGMENT'],
    ['https://u@a.test/', 'USER_INFO'],
    ['https://@a.test/', 'USER_INFO'],
    ['https://127.0.0.1/', 'IP_LITERAL'],
    ['https://[2606:2800::1]/', 'IP_LITERAL'],
    ['https://0x7f.1/', 'IP_LITERAL'],
    ['https:a.test', 'MALFORMED'],
    ['https://a.test/\t', 'MALFORMED'],
    ['https://a_b-.test/', 'MALFORMED'],
    [`https://a.test/${'x'.repeat(urlCharsMax)}`, 'TOO_LONG'],
  ])('%j is refused: %s', (url, refusal) => {
    expect(readUrl(url, { environment: 'production' })).toEqual({ refusal });
  });

  it('an IP literal is for the sandbox', () => {
    expect(readUrl('https://93.184.216.34/', { environment: 'sandbox' })).toHaveProperty('url');
  });
});
