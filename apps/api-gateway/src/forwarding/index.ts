export type { ForwardingOptions } from './forwarding-options';
export { ForwardingModule } from './forwarding.module';
export { openBodyLimitsOf } from './open-body-limits';
export { PlainListener } from './http/plain-listener';
export { PublicListener } from './http/public-listener';
