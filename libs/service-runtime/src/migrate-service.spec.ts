import { type DynamicModule, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { baseEnv, databaseEnv } from './base-env';
import { defineEnv } from './env';
import { migrateService } from './migrate-service';

const happened: string[] = [];

class Consumer implements OnModuleInit, OnApplicationBootstrap {
  onModuleInit(): void {
    happened.push('init');
  }
  onApplicationBootstrap(): void {
    happened.push('bootstrap');
  }
}
class ServiceModule {}

const definition = {
  name: 'migrated',
  env: defineEnv({ ...baseEnv({ internal: 0 }), ...databaseEnv }),
  module: (env: { MIGRATIONS: string }): DynamicModule => ({
    module: ServiceModule,
    providers: [{ provide: 'DATABASE', useFactory: async () => happened.push(`database ${env.MIGRATIONS}`) }, Consumer],
  }),
};
const source = { LOG_LEVEL: 'silent', DATABASE_URL: 'postgres://x', MIGRATIONS: 'check' };

describe('migrating without serving', () => {
  beforeEach(() => (happened.length = 0));

  it('opens the database with its migrations, whatever MIGRATIONS says, and starts nothing', async () => {
    await migrateService(definition, source);
    expect(happened).toEqual(['database run']);
  });

  it('fails when the database cannot be migrated', async () => {
    const broken = {
      ...definition,
      module: () => ({
        module: ServiceModule,
        providers: [{ provide: 'DATABASE', useFactory: () => Promise.reject(new Error('no')) }],
      }),
    };
    await expect(migrateService(broken, source)).rejects.toThrow('no');
  });
});
