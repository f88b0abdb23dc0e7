export { type NginxDemands, NginxReceiver, startNginx } from './nginx-receiver';
export * from './dns-server';
export * from './raw-receiver';
export * from './test-authority';
export * from './url-spellings';
