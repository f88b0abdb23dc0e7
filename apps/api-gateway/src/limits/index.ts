export { addressKey } from './domain/address-key';
export * from './rate-limits.service';
