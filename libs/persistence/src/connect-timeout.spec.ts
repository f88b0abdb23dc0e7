import { connectTimeoutMsOf } from './data-source';

describe('the connect time-out of a database URL', () => {
  it.each([
    ['postgres://u:p@host/d', 5_000],
    ['postgres://u:p@host/d?connect_timeout=120', 120_000],
    ['postgres://u:p@host/d?sslmode=require&connect_timeout=1#x', 1_000],
  ])('of %s is %i ms', (url, expectedMs) => {
    expect(connectTimeoutMsOf(url)).toBe(expectedMs);
  });

  it.each(['', '0', '601', '-1', '1.5', 'soon'])('%j is refused, and the error shows no password', text => {
    expect(() => connectTimeoutMsOf(`postgres://u:hunter2@host/d?connect_timeout=${text}`)).toThrow(
      'connect_timeout of the database URL: expected whole seconds from 1 to 600',
    );
  });
});
