export * from './passport/own-name';
export * from './identity/identity-assertion';
export * from './identity/identity-keys';
export * from './identity/identity.guard';
export * from './identity/identity.module';
export * from './path/normalise-path';
export * from './service-token/internal-callers.guard';
export * from './service-token/internal-calls';
export * from './service-token/internal-client';
export { ServiceTokenSigner } from './service-token/service-token';
export {
  type InternalCaller,
  ServiceTokenKeys,
  type TokenKeySettings,
  tokenKeySettingsOf,
} from './service-token/service-token-keys';
export * from './service-token/service-token.module';
export * from './service-token/token-keys';
