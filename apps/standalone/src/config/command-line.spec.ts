import { readCommandLine, UsageError } from './command-line';

const services = ['webhook-dispatcher', 'api-gateway'];
const inspectedOf = (...args: string[]) => readCommandLine(args, services).inspected;

describe('the command line of npm start', () => {
  it("lets a debugger attach to a service, on Node's port or another", () => {
    expect(inspectedOf()).toBeUndefined();
    expect(inspectedOf('--inspect', 'webhook-dispatcher')).toEqual({ service: 'webhook-dispatcher', port: 9_229 });
    for (const args of [
      ['--inspect', 'api-gateway', '--inspect=9300'],
      ['--inspect=9300', '--inspect=api-gateway'],
    ])
      expect(inspectedOf(...args)).toEqual({ service: 'api-gateway', port: 9_300 });
  });

  it.each([
    [['--inspect=9300'], 'needs a service too'],
    [['--inspect', 'nobody'], 'there is no service nobody'],
    [['--inspect', 'api-gateway', '--inspect', 'webhook-dispatcher'], 'one service and one port'],
    [['--inspect', 'api-gateway', '--inspect=0'], 'from 1 to 65535'],
    [['--inspect', 'api-gateway', '--inspect=65536'], 'from 1 to 65535'],
    [['--inspect', 'api-gateway', '--one-process'], 'names the process of a service'],
    [['--inspekt', 'api-gateway'], '--help lists the options'],
  ])('%j is refused: %s', (args, words) => {
    expect(() => inspectedOf(...args)).toThrow(UsageError);
    expect(() => inspectedOf(...args)).toThrow(words);
  });
});
