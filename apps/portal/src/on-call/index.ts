export { OnCallModule, type OnCallOptions } from './on-call.module';
