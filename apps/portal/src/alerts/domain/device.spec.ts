import { deviceName, deviceOf } from './device';

describe('a device in the words of mails and of the list of sessions', () => {
  it.each([
    ['Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/131.0.0.0 Safari/537.36 Edg/131.0', 'Edge on Windows'],
    ['Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 HeadlessChrome/131.0.0.0 Safari/537.36', 'Chrome on Linux'],
    ['Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0', 'Firefox on Linux'],
    ['Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 Chrome/131.0.0.0 Mobile Safari/537.36', 'Chrome on Android'],
    ['Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605 Version/18.1 Mobile Safari/604.1', 'Safari on iOS'],
    ['Click https://evil.example', 'another browser on another system'],
  ])('%s', (userAgent, words) => {
    expect(deviceName(userAgent)).toBe(words);
  });

  it.each([
    ['203.0.113.7', '203.0.113'],
    ['::ffff:203.0.113.7', '203.0.113'],
    ['2001:DB8:1:2::7', '2001:db8:1'],
    ['2001:db8::7', '2001:db8'],
    ['::1', ''],
    ['unknown', ''],
  ])('of the address %s only the range is named: %s', (address, addressStart) => {
    expect(deviceOf({ userAgent: '', address }).addressStart).toBe(addressStart);
  });
});
