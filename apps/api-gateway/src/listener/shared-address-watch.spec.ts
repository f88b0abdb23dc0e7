import { SharedAddressWatch } from './connection-gate';

const connect = (watch: SharedAddressWatch, addressOf: (n: number) => string) =>
  Array.from({ length: 1_000 }, (_, n) => watch.connected(addressOf(n))).filter(found => found !== undefined);

describe('many clients that appear under one address', () => {
  it('900 of 1,000 connections from one private address are reported, once (T-30)', () => {
    expect(connect(new SharedAddressWatch(), n => (n % 10 === 0 ? `192.0.2.${n % 250}` : '10.0.0.7'))).toEqual(['10.0.0.7']);
    expect(connect(new SharedAddressWatch(), () => 'fd00::7')).toEqual(['fd00::7']);
    expect(connect(new SharedAddressWatch(), () => '::ffff:100.64.0.1')).toEqual(['::ffff:100.64.0.1']);
  });

  it.each<[string, (n: number) => string]>([
    ['a client of the internet', () => '203.0.113.9'],
    ['the machine itself', () => '127.0.0.1'],
    ['899 of one private address', n => (n < 101 ? `192.0.2.${n}` : '10.0.0.7')],
    ['an address that cannot be read', () => ''],
  ])('%s is not reported (T-30)', (_name, addressOf) => {
    expect(connect(new SharedAddressWatch(), addressOf)).toEqual([]);
  });

  it('each 1,000 connections are judged by themselves (T-30)', () => {
    const watch = new SharedAddressWatch();
    expect(connect(watch, () => '203.0.113.9')).toEqual([]);
    expect(connect(watch, () => '10.0.0.7')).toEqual(['10.0.0.7']);
  });
});
