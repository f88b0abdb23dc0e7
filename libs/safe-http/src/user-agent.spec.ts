import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { userAgent } from './user-agent';

describe('the User-Agent of requests to receivers', () => {
  it('names the product and the version of the package', () => {
    const { version } = JSON.parse(readFileSync(join(__dirname, '../../../package.json'), 'utf8')) as { version: string };
    expect(userAgent).toBe(`Paycode/${version}`);
  });
});
