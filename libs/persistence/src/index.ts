export * from './array-literal';
export * from './data-source';
export * from './prepared-query';
export * from './migrate';
export * from './embedded/embedded-postgres';
export * from './flush-queue';
export * from './durability';
export * from './nest/database.module';
