export * from './domain/key-material';
export * from './keys.module';
export * from './rotating-keys';
export * from './service-keys';
