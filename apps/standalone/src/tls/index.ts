export * from './gateway-certificate';
