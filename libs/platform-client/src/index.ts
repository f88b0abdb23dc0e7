export * from './decrypt-webhook.ts';
export * from './merchant-receiver.ts';
export * from './merchant.ts';
export * from './platform-connection.ts';
