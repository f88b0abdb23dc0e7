import { unreadSettings } from './unread-settings.ts';

const settings = { dispatcher: { POSTS_MAX: {} } };
const unread = (text: string, file = 'apps/dispatcher/src/a.ts'): string[] => unreadSettings(settings, [[file, text]]);

describe('settings that nothing reads', () => {
  it.each([
    'const env = defineEnv({ POSTS_MAX: { type: "integer" } });',
    'interface Settings { POSTS_MAX: number }',
    "type Part = Pick<Settings, 'POSTS_MAX'>;",
    "throw new Error('POSTS_MAX is required');",
    '// settings.POSTS_MAX',
  ])('%j does not read it', text => {
    expect(unread(text)).toEqual([expect.stringMatching(/^apps\/dispatcher: nothing reads the setting POSTS_MAX: hand it/)]);
  });

  it.each([
    'start(settings.POSTS_MAX);',
    "start(settings['POSTS_MAX']);",
    'const { POSTS_MAX } = settings;',
    'function start({ POSTS_MAX: max }: Settings) {}',
  ])('%j reads it', text => {
    expect(unread(text)).toEqual([]);
    expect(unread(text, 'libs/events/src/a.ts')).toEqual([]);
  });

  it.each(['apps/dispatcher/src/a.int.spec.ts', 'apps/dispatcher/src/testing/a.ts', 'apps/scheduler/src/a.ts', 'tools/run/a.ts'])(
    '%s gives it no effect in the service',
    file => expect(unread('start(settings.POSTS_MAX);', file)).toHaveLength(1),
  );
});
