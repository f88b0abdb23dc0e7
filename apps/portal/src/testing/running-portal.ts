import { randomBytes } from 'node:crypto';
import { TestTokenKeys } from '@paycode/access/testing';
import { createTestDatabase, type TestDatabase } from '@paycode/persistence/testing';
import { type RunningService, startService } from '@paycode/service-runtime';
import { AppModule, portalDefinition } from '../app.module';
import type { Settings } from '../config/env';
import { signInGuesses, type SignInRules } from '../sign-in/sign-in-limiter';

/** For tests of something else that sign in more often than a guesser may. */
export const manyGuesses: SignInRules = { perPerson: 100, perAddress: 1_000 };

const tokenKeys = new TestTokenKeys();
const ring = () => `k1:${randomBytes(32).toString('base64')}`;

/** The portal on databases of its own; its neighbours are away. */
export class RunningPortal {
  private constructor(
    readonly database: TestDatabase,
    private readonly events: TestDatabase,
    readonly service: RunningService,
  ) {}

  /** `guesses`: in the place of constants. */
  static async start(over: Record<string, string> = {}, guesses: Partial<SignInRules> = {}): Promise<RunningPortal> {
    const databases = { database: await createTestDatabase(), events: await createTestDatabase() };
    return RunningPortal.startOn(databases, over, guesses);
  }

  static async startOn(
    { database, events }: { database: TestDatabase; events: TestDatabase },
    over: Record<string, string> = {},
    guesses: Partial<SignInRules> = {},
  ): Promise<RunningPortal> {
    const module = (settings: Settings) => AppModule.forRoot(settings, { ...signInGuesses, ...guesses });
    const service = await startService(
      { ...portalDefinition, module },
      {
        INTERNAL_PORT: '0',
        PUBLIC_PORT: '0',
        LOG_LEVEL: 'silent',
        DATABASE_URL: database.url,
        EVENTS_DATABASE_URL: events.url,
        ...tokenKeys.env('portal'),
        PAYLOAD_KEYS: ring(),
        KEY_ENCRYPTION_KEYS: ring(),
        PUBLIC_BASE_URL: 'https://pay.example',
        ...over,
      },
    );
    return new RunningPortal(database, events, service);
  }

  /** Ends the process; its databases stay. */
  async shutDown(): Promise<void> {
    await this.service.stop('test');
  }

  async stop(): Promise<void> {
    await this.shutDown();
    await Promise.all([this.database.drop(), this.events.drop()]);
  }

  get publicUrl(): string {
    return `http://127.0.0.1:${this.service.ports.public}`;
  }

  get internalUrl(): string {
    return `http://127.0.0.1:${this.service.ports.internal}`;
  }

  operatorHeaders(subject = 'test-operator'): Record<string, string> {
    return { authorization: `Bearer ${tokenKeys.operatorToken({ subject })}` };
  }
}
