export * from './key-material';
export * from './keys.module';
export { SigningKeyEntity } from './persistence/signing-key.entity';
export * from './rotating-keys';
export * from './service-keys';
