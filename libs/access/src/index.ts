export * from './path/normalise-path';
export * from './service-token/internal-callers.guard';
export * from './service-token/internal-client';
export * from './service-token/service-token';
export * from './service-token/service-token.module';
