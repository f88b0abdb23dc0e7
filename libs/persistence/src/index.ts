export * from './array-literal';
export * from './data-source';
export * from './with-connection';
export * from './migrate';
export * from './embedded/embedded-postgres';
export * from './flush-queue';
export * from './isolate';
export * from './nest/database-env';
export {
  DatabaseModule,
  type DatabaseOptions,
  durabilityWeaknesses,
  migrateDatabase,
  type MigrationOptions,
} from './nest/database.module';
