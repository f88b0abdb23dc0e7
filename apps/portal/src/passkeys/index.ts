export { begunAnew, Ceremonies } from './ceremonies';
export * from './passkeys.module';
export * from './passkeys.ports';
export { type Assertion, type Attestation, notProven, WebAuthn } from './web-authn';
