export * from './gateway-under-test';
export * from './raw-connection';
export * from './slow-readers';
export * from './stub-service';
export * from './test-certificate';
