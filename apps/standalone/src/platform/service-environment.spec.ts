import { nodeFlagsOf, serviceEnvironment } from './services';

const given = {
  INTERNAL_PORT: '3101',
  DATABASE_URL_FILE: 'secrets/database-url',
  OUTBOUND_ALLOW: '127.0.0.0/8',
  NODE_COMPILE_CACHE: 'cache',
  MALLOC_ARENA_MAX: '1',
};
const inherited = {
  PATH: '/bin',
  TZ: 'Africa/Johannesburg',
  AWS_SECRET_ACCESS_KEY: 'of the developer',
  GITHUB_TOKEN: 'of the developer',
  npm_config_registry: 'https://registry.example.com',
  NODE_OPTIONS: '--inspect',
  DATABASE_URL: 'postgres://admin:secret@db.example.com/postgres',
  INTERNAL_PORT: '1',
  SMTP_URL: 'smtp://mail.example.com',
};

const ofMessages = ['INTERNAL_PORT', 'DATABASE_URL', 'DATABASE_URL_FILE', 'SMTP_URL'];

describe('the environment that a service of the standalone platform gets', () => {
  it('holds the settings that it declares and those that the operating system reads, nothing else of the shell (T-41)', () => {
    const env = serviceEnvironment(ofMessages, { inherited, given });
    expect(env).toEqual({
      PATH: '/bin',
      TZ: 'Africa/Johannesburg',
      SMTP_URL: 'smtp://mail.example.com',
      INTERNAL_PORT: '3101',
      DATABASE_URL_FILE: 'secrets/database-url',
      NODE_COMPILE_CACHE: 'cache',
      MALLOC_ARENA_MAX: '1',
    });
  });

  it('gives a setting only to the services that declare it (T-41)', () => {
    const env = serviceEnvironment(['INTERNAL_PORT'], { inherited, given });
    expect(Object.keys(env).sort()).toEqual(['INTERNAL_PORT', 'MALLOC_ARENA_MAX', 'NODE_COMPILE_CACHE', 'PATH', 'TZ']);
    const dispatcher = serviceEnvironment(['OUTBOUND_ALLOW'], { inherited, given });
    expect([dispatcher['OUTBOUND_ALLOW'], dispatcher['SMTP_URL']]).toEqual(['127.0.0.0/8', undefined]);
  });
});

describe('how services are started', () => {
  it('a debugger can attach only to the named service, on that port of this machine', () => {
    const inspected = { service: 'webhook-dispatcher', port: 9_300 };
    expect(nodeFlagsOf('webhook-dispatcher', inspected)).toEqual(expect.arrayContaining(['--inspect=127.0.0.1:9300']));
    expect(nodeFlagsOf('api-gateway', inspected).join(' ')).not.toContain('--inspect');
    expect(nodeFlagsOf('webhook-dispatcher', undefined).join(' ')).not.toContain('--inspect');
  });
});
