export * from './key-material';
export * from './keys.module';
export * from './rotating-keys';
export * from './service-keys';
