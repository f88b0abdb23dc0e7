export * from './gateway-under-test';
export * from './raw-connection';
export * from './stub-service';
export * from './test-certificate';
