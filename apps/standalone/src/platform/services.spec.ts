import { nodeFlagsOf } from './services';

describe('how services are started', () => {
  it('a debugger can attach only to the named service, on that port of this machine', () => {
    const inspected = { service: 'webhook-dispatcher', port: 9_300 };
    expect(nodeFlagsOf('webhook-dispatcher', inspected)).toEqual(expect.arrayContaining(['--inspect=127.0.0.1:9300']));
    expect(nodeFlagsOf('api-gateway', inspected).join(' ')).not.toContain('--inspect');
    expect(nodeFlagsOf('webhook-dispatcher', undefined).join(' ')).not.toContain('--inspect');
  });
});
