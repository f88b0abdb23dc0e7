import { defineEnv, EnvError } from './env';

const env = defineEnv({
  PORT: { type: 'integer', default: 1, max: 10, description: 'a port' },
  MODE: { type: 'enum', values: ['a', 'b'], default: 'a', description: 'a mode' },
  SECRETS: { type: 'list', secret: true, description: 'secrets' },
});

describe('defineEnv', () => {
  it('gives typed values and defaults', () => {
    expect(env.read({ SECRETS: 'x, y' })).toEqual({ PORT: 1, MODE: 'a', SECRETS: ['x', 'y'] });
  });

  it('reports all problems at once, without values of secrets', () => {
    try {
      env.read({ PORT: '11', MODE: 'c' });
      throw new Error('not refused');
    } catch (error) {
      expect((error as EnvError).problems).toEqual([
        'PORT must be an integer from 0 to 10',
        'MODE must be one of a, b',
        'SECRETS is required: secrets',
      ]);
    }
  });

  it('a text with a form is refused by its rule: the name of a cell would fail later, in the event log (P-1.12)', () => {
    const form = { pattern: /^[a-z]+$/, rule: 'must be small letters' };
    const { read } = defineEnv({ NAME: { type: 'string', default: null, form, description: 'a name' } });
    expect([read({}), read({ NAME: 'b' })]).toEqual([{ NAME: null }, { NAME: 'b' }]);
    expect(() => read({ NAME: 'B!' })).toThrow('NAME must be small letters');
  });

  it('regression: a setting of an older release, which would have no effect, is refused by name', () => {
    expect(() => env.read({ SECRETS: 'x', UPSTREAM_TIMEOUT_MS: '5000', PATH: '/bin' })).toThrow(
      'UPSTREAM_TIMEOUT_MS is no longer a setting, its value is fixed: delete it',
    );
    expect(() => env.read({ SECRETS: 'x', SMTP_PASSWORD_FILE: '/run/secret' })).toThrow(
      'SMTP_PASSWORD is no longer a setting: set SMTP_URL in its place',
    );
  });

  it('a window of the settlement protocol cannot be changed in production, where it would change who is reversed (P-T5)', () => {
    const { read } = defineEnv({ WINDOW_MS: { type: 'integer', tier: 'fixed', default: 45_000, description: 'a window' } });
    expect(read({ PAYCODE_ENVIRONMENT: 'sandbox', WINDOW_MS: '1' })).toEqual({ WINDOW_MS: 1 });
    expect(() => read({ PAYCODE_ENVIRONMENT: 'production', WINDOW_MS: '1' })).toThrow(
      'WINDOW_MS is fixed in production, at 45000: delete it',
    );
  });

  it('reads a secret from a file', () => {
    expect(() => env.read({ SECRETS_FILE: '/does/not/exist' })).toThrow('SECRETS_FILE cannot be read: ENOENT');
  });
});
