export { addressKey } from './address-key';
export * from './rate-limits';
